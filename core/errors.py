"""The exceptions that reach a user: each is one sentence with the rule, the numbers and the next step."""


class AtlasError(Exception):
    """A request that cannot be fulfilled; `str(error)` is the sentence to display. Caught in one place."""


class InputError(AtlasError):
    """A text or a picture that cannot be used."""


class ModelError(AtlasError):
    """A model that cannot be found, fetched, trusted or held in memory."""


class CaptureError(AtlasError):
    """Attention that cannot be recorded, or an edit that cannot be applied."""


class HubError(ModelError):
    """The model hub does not provide a model: it has none of that name, denies access, or does not answer."""


class OfflineError(HubError):
    """The model hub cannot be reached."""
