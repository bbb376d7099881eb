/** The way to the API, and what the token may do there. */
import type { Facts } from '../facts/facts.ts';
import { type Verdict, verdictsOf } from '../facts/verdict.ts';

/** Code of an error: what it means, and what to do. */
const ERRORS: Readonly<Record<string, readonly [string, string]>> = {
  ECONNREFUSED: ['nothing listens there', 'start the server; is the port the right one?'],
  ECONNRESET: ['it closed the connection', 'is it HTTPS, and the right port?'],
  EPROTO: ['it does not speak TLS', 'is it https, and the right port?'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['it does not speak TLS', 'is it https, and the right port?'],
  EHOSTUNREACH: ['no route leads there', 'check the network and the address'],
  ENETUNREACH: ['no route leads there', 'check the network and the address'],
  NO_ANSWER: ['it does not answer in time', 'check firewalls on the way, and whether it is overloaded'],
  ABORT_ERR: ['it does not answer in time', 'check firewalls on the way, and whether it is overloaded'],
  CERT_HAS_EXPIRED: ['its certificate has expired', 'restart the host, which renews it; is the clock right?'],
  CERT_NOT_YET_VALID: ['its certificate does not count yet', 'set the clock of this machine'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'its certificate is for other names',
    'start the host with --host-names NAME',
  ],
};

const UNTRUSTED: readonly [string, string] = [
  'its certificate was not signed by the authority that is known here',
  'take the kubeconfig or ca.crt again: the host was made anew, or another one has its address',
];

const errorOf = (code: string): readonly [string, string] => {
  const known = ERRORS[code];
  if (known) return known;
  if (/^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_SIGNATURE)/.test(code)) return UNTRUSTED;
  return [`the request failed: ${code}`, 'check the address'];
};

const OK = 200;
/** It answers; the token is another check's matter. */
const UNAUTHORIZED = 401;

/** Whether it answers. */
export const server = ({ server: found }: Facts): readonly Verdict[] => {
  if (found === undefined) return [];
  const check = verdictsOf('server');
  const { url, dnsError, error, status } = found;
  if (dnsError !== undefined)
    return [check.fail(`${url}: the name is not known (${dnsError})`, 'check the name and the DNS')];
  if (error !== undefined) {
    const [words, remedy] = errorOf(error);
    return [check.fail(`${url}: ${words}`, remedy)];
  }
  if (status !== OK && status !== UNAUTHORIZED)
    return [check.fail(`${url}: it answers with ${status}`, "look at the server's log")];
  return [check.ok(`${url} answers${found.version === undefined ? '' : `, ${found.version}`}`)];
};

/** What the token may do. */
export const access = ({ server: found }: Facts): readonly Verdict[] => {
  if (found?.access === undefined) return [];
  const check = verdictsOf('access');
  const { isKnown, refused } = found.access;
  if (!isKnown)
    return [
      check.fail('the token is refused', 'take a new one: rollcall kubeconfig, or rollcall token --admin'),
    ];
  if (refused.length === 0) return [check.ok('all that the commands need is allowed')];
  return refused.map(({ permission, commands }) =>
    check.warn(`may not ${permission}: ${commands} will be refused`, 'use a token of rollcall token --admin'),
  );
};
