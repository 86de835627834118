"""Why a part of a model cannot be imported."""


class NotImportable(Exception):
    """A node that the language cannot say, or not yet known to the importer. The text is its reason."""


class ModelError(Exception):
    """A file that is no model, or an argument that does not fit the model."""
