"""How sure an answer is: intervals and sets that hold, and probabilities that are true.

What is learned here comes from answers about rows that the model had not seen (out of fold, out of
bag, or rows given for it), and is part of the model.
"""
