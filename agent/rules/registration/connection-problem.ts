/** What to do when a request got no answer. Sources: codes of Node's `net`, `dns` and `tls`, and of OpenSSL. */

/** How the API is reached. */
export interface Reached {
  readonly server: string;
  /** Whether an authority was given; otherwise those that Node knows count. */
  readonly hasAuthority: boolean;
}

const untrusted = ({ hasAuthority }: Reached): string =>
  hasAuthority
    ? 'its certificate was not signed by the authority of --ca or --ca-data: take the line that this server prints by "rollcall token --bootstrap --print-join"'
    : 'its certificate was not signed by a public authority: a host has its own, which --ca FILE or the whole line of "rollcall token --bootstrap --print-join" gives';

const clock = (): string => 'is the clock of this machine right, and that of the server?';

const unreachable = (): string =>
  'is the address right, and does a firewall let this machine through? Where a proxy is needed, set HTTPS_PROXY';

const refused = (): string =>
  'nothing listens there: a host listens for other machines with --listen 0.0.0.0:PORT';

const unknownName = (): string => 'this machine cannot resolve the name: is --server right?';

const noTls = ({ server }: Reached): string | undefined =>
  server.startsWith('http:') ? 'a host speaks only https: write --server https://…' : undefined;

const ADVICE: Readonly<Record<string, (reached: Reached) => string | undefined>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_NOT_YET_VALID: clock,
  CERT_HAS_EXPIRED: clock,
  ERR_TLS_CERT_ALTNAME_INVALID: () =>
    'the certificate is for other names: start the host with --host-names NAME, for this name too',
  ENOTFOUND: unknownName,
  EAI_AGAIN: unknownName,
  ECONNREFUSED: refused,
  ECONNRESET: noTls,
  EPROTO: () => 'the server does not speak https there: is the port right?',
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  NO_ANSWER: unreachable,
};

/** Advice for an error with this code; `undefined`: none. */
export const connectionAdvice = (code: unknown, reached: Reached): string | undefined =>
  typeof code === 'string' && Object.hasOwn(ADVICE, code) ? ADVICE[code]?.(reached) : undefined;
