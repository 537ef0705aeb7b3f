import pytest

from core.translation.spelling import normalise_english, normalise_french


@pytest.mark.parametrize(
    ("raw", "printed"),
    [
        ("Ça va\u202f?", "Ça va ?"),
        ("Ça va?", "Ça va ?"),
        ("Quoi\u00a0?!", "Quoi ?!"),
        ("Il est 12:30\u2009; viens !", "Il est 12:30 ; viens !"),
        ("«Oui», dit-il : «non».", "« Oui », dit-il : « non »."),
        ("L’été  est\u00ad là\u200b.", "L'été est là."),
        ("e\u0301te\u0301", "été"),
        ("?", "?"),
    ],
)
def test_french_is_printed_in_one_way(raw: str, printed: str):
    assert normalise_french(raw) == printed
    assert normalise_french(printed) == printed


@pytest.mark.parametrize(
    ("raw", "printed"), [("“It’s”\u00a0me…", '"It\'s" me...'), ("Really?", "Really?"), (" a\n b\t", "a b")]
)
def test_english_keeps_its_signs_at_the_words(raw: str, printed: str):
    assert normalise_english(raw) == printed
