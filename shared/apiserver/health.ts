/** What a host shows of its health: it answers, so it lives. */

/** The text at a health path; `undefined` for other paths. */
export const healthText = (path: string, query: URLSearchParams): string | undefined => {
  const [, probe, check] = /^\/(healthz|livez|readyz)(?:\/(.*))?$/.exec(path) ?? [];
  if (probe === undefined || (check !== undefined && check !== 'ping' && check !== '')) return undefined;
  return query.has('verbose') && !check ? `[+]ping ok\n${probe} check passed\n` : 'ok';
};
