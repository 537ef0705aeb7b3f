"""What stands around a section: head, sections, layout, navigation, and what is carried from page to page."""
