/** What may not be known yet: a third value beside yes and no, for which the compiler asks. */

export type Known<T> = { readonly isKnown: true; readonly value: T } | { readonly isKnown: false };

export const NOT_KNOWN: Known<never> = { isKnown: false };

export const known = <T>(value: T): Known<T> => ({ isKnown: true, value });
