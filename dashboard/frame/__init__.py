"""The frame of a section: head, sections, layout, navigation, and choices carried from page to page."""
