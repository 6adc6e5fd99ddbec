"""Model files: a model saved, loaded and described; docs/model-files.md has the format.

A ``.tw`` file holds arrays behind a header of JSON, a ``.json`` file the same as readable text.
Neither holds code: a file from a stranger can be wrong, but it cannot do anything.
"""

from treewright.persist.describe import Description as Description
from treewright.persist.describe import describe as describe
from treewright.persist.files import load as load
from treewright.persist.files import save as save
from treewright.persist.predict_file import PredictedFile as PredictedFile
from treewright.persist.predict_file import predict_file as predict_file
