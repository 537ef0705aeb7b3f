"""The exceptions that reach a person: each is one sentence with the rule, the numbers and the next step."""


class AtlasError(Exception):
    """Something a visitor asked for cannot be done; `str(error)` is the sentence to show. Caught in one place."""


class InputError(AtlasError):
    """A text or a picture that cannot be used."""


class ModelError(AtlasError):
    """A model that cannot be found, fetched, trusted or held in memory."""


class CaptureError(AtlasError):
    """Attention that could not be seen, or an edit that cannot be made."""


class HubError(ModelError):
    """The model hub does not give a model: it has none of that name, may not give it, or does not answer."""


class OfflineError(HubError):
    """The model hub cannot be reached."""
