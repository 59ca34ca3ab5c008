# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""A page a paper: what it claimed, beside what stands in a folder of results. One file a paper; see paper_pages.py."""
