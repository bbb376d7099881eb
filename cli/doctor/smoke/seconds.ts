/** How long a step of the smoke test has taken, for people. */
export const secondsOf = ({ now }: { readonly now: () => number }, startedAt: number): string =>
  `${((now() - startedAt) / 1000).toFixed(1)} s`;
