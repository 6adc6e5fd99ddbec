"""One trial: a learner is fitted to some rows and answers about others, which are judged."""
