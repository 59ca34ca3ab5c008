// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

int in_petsc(void);
int main(void) { return in_petsc(); }
