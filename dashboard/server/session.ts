/** The session of whoever opened the printed link: a token that is good once becomes a cookie that ends with the process. */
import { randomBytes } from 'node:crypto';
import { isSameSecret } from './guard.ts';

/** The secrets of one process. */
export interface DashboardSession {
  /** The token of the link that has not been used yet. */
  token(): string;
  /** Makes another one; the one before is not good any more. */
  renew(): void;
  /** Whether it is the token that has not been used yet. */
  isGood(token: string): boolean;
  /** The `Set-Cookie` for the token; `undefined` if it is not good. It is good once: the next one is another. */
  exchange(token: string): string | undefined;
  /** Whether a `Cookie` header has the session's cookie. */
  holds(cookies: string | undefined): boolean;
}

const secret = (): string => randomBytes(32).toString('base64url');

const valuesOf = (cookies: string, name: string): readonly string[] =>
  cookies
    .split(';')
    .map((one) => one.trim())
    .flatMap((one) => (one.startsWith(`${name}=`) ? [one.slice(name.length + 1)] : []));

/** Cookies do not know ports, so the name of the cookie has the port. `onUsed` is called when there is another token. */
export const createSession = (port: number, onUsed: () => void = () => undefined): DashboardSession => {
  const name = `rollcall-${port}`;
  const cookie = secret();
  let token = secret();
  const isGood = (given: string): boolean => isSameSecret(given, token);
  const renew = (): void => {
    token = secret();
  };
  return {
    token: () => token,
    renew,
    isGood,
    exchange: (given) => {
      if (!isGood(given)) return undefined;
      renew();
      onUsed();
      return `${name}=${cookie}; Path=/; HttpOnly; SameSite=Strict`;
    },
    holds: (cookies = '') => valuesOf(cookies, name).some((value) => isSameSecret(value, cookie)),
  };
};
