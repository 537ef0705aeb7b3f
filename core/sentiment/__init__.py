"""Does a classifier of texts decide by the words that an explanation names?"""
