/** What the answer to an HTTP probe means. Source: kubernetes v1.34 pkg/probe/http `DoHTTPProbe`, `RedirectChecker`. */

/** What the probe says about the container, and its text. */
export interface Judged {
  readonly kind: 'success' | 'warning' | 'failure';
  readonly output: string;
}

/** A redirect to another host is not followed: the container has answered. */
export const judgedHttp = (status: number, body: string): Judged => {
  if (status < 200 || status >= 400)
    return { kind: 'failure', output: `HTTP probe failed with statuscode: ${status}` };
  if (status >= 300) return { kind: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
  return { kind: 'success', output: body };
};

const MOST_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The URL to ask next; `undefined`: the answer counts. */
export const redirectOf = (
  first: URL,
  current: URL,
  status: number,
  location: string | undefined,
): URL | undefined => {
  if (!REDIRECTS.has(status) || !location) return undefined;
  if (!URL.canParse(location, current.href)) return undefined;
  const next = new URL(location, current);
  return next.hostname === first.hostname ? next : undefined;
};

/** Why no further redirect is followed. `followed` redirects have been. */
export const tooManyRedirects = (followed: number): string | undefined =>
  followed >= MOST_REDIRECTS ? `stopped after ${MOST_REDIRECTS} redirects` : undefined;
