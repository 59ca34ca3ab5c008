// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

int below_petsc(void) { return 0; }
