// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

int below_petsc(void);
int in_petsc(void) { return below_petsc(); }
