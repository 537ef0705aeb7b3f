from tests.type_checks import checked as checked
