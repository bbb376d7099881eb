/** Health endpoints: a server that answers is healthy. Source: apiserver v1.34 `server/healthz`. */

const CHECKS = ['ping'] as const;

const reportOf = (probe: string, query: URLSearchParams): string => {
  const excluded = query.getAll('exclude');
  const lines = CHECKS.map((check) => `[+]${check} ${excluded.includes(check) ? 'excluded: ok' : 'ok'}\n`);
  const unknown = excluded.filter((name) => !(CHECKS as readonly string[]).includes(name));
  const warning =
    unknown.length === 0
      ? ''
      : `warn: some health checks cannot be excluded: no matches for ${unknown.map((name) => JSON.stringify(name)).join(', ')}\n`;
  return `${lines.join('')}${warning}${probe} check passed\n`;
};

const PROBE = /^\/(healthz|livez|readyz)(?:\/(.+))?$/;

/** Whether a path is a health endpoint, or one check of it. */
export const isHealthPath = (path: string): boolean => PROBE.test(path);

/** The text at a health endpoint or one of its checks; `undefined` for other paths. */
export const healthText = (path: string, query: URLSearchParams): string | undefined => {
  const [, probe, check = ''] = PROBE.exec(path) ?? [];
  if (probe === undefined) return undefined;
  if (check !== '') return (CHECKS as readonly string[]).includes(check) ? 'ok' : undefined;
  return query.has('verbose') ? reportOf(probe, query) : 'ok';
};
