import type { Abuse } from './abuse.ts';
import { get, members, NODES, times } from './abuse.ts';

const header = (name: string, title: string, textOf: (size: number) => string, largest: number): Abuse => ({
  name: `${name}: ${title}`,
  largest,
  request: (size) => get(NODES, { [name]: textOf(size) }),
});

const query = (title: string, pathOf: (size: number) => string, largest: number): Abuse => ({
  name: `URL: ${title}`,
  largest,
  request: (size) => get(pathOf(size)),
});

const selector = (
  parameter: string,
  title: string,
  textOf: (size: number) => string,
  largest: number,
): Abuse =>
  query(
    `${parameter} ${title}`,
    (size) => `${NODES}?${parameter}=${encodeURIComponent(textOf(size))}`,
    largest,
  );

export const HEADER_ABUSES: readonly Abuse[] = [
  header('accept', 'many clauses', (size) => times(size, () => 'a/b').join(','), 15_000),
  header(
    'accept',
    'clauses of all qualities',
    (size) => times(size, (index) => `a/b;q=0.${index}`).join(','),
    6_000,
  ),
  header(
    'accept',
    'ever stronger clauses',
    (size) => times(size, (index) => (index % 2 === 0 ? '*/*' : 'a/b')).join(','),
    15_000,
  ),
  header(
    'accept',
    'one clause of many parameters',
    (size) => `application/json;${times(size, (index) => `p${index}=1`).join(';')}`,
    8_000,
  ),
  header('accept', 'blanks', (size) => `a${' '.repeat(size)}b`, 60_000),
  header('accept', 'equal signs', (size) => `application/json;${'='.repeat(size)}`, 60_000),
  header('accept-encoding', 'many codings', (size) => times(size, () => 'br;q=0').join(','), 8_000),
  header('accept-encoding', 'a long weight', (size) => `gzip;q=0.${'0'.repeat(size)}x`, 60_000),
  header('content-type', 'many parameters', (size) => `application/json;${'a=b;'.repeat(size)}`, 15_000),
  header('content-type', 'blanks', (size) => `${' '.repeat(size)}x`, 60_000),
  header('authorization', 'a long token', (size) => `Bearer ${'a'.repeat(size)}`, 60_000),
  header('authorization', 'many words', (size) => `Bearer${' x'.repeat(size)}`, 30_000),
  header('authorization', 'many dots', (size) => `Bearer ${'a.'.repeat(size)}`, 30_000),
  header('authorization', 'blanks', (size) => `Bearer ${' '.repeat(size)}x`, 60_000),
  header('user-agent', 'long', (size) => 'a/'.repeat(size), 30_000),
  header('user-agent', 'blanks', (size) => `a${' '.repeat(size)}`, 60_000),
  header('impersonate-user', 'long', (size) => 'system:serviceaccount:'.repeat(size), 2_700),
  {
    name: 'impersonate-group: many groups',
    largest: 20_000,
    request: (size) =>
      get(NODES, {
        'impersonate-user': 'x',
        'impersonate-group': times(size, (index) => `g${index}`).join(', '),
      }),
  },
  {
    name: 'impersonate-extra: many headers',
    largest: 1_900,
    request: (size) =>
      get(NODES, {
        'impersonate-user': 'x',
        ...(members(size, (index) => [`impersonate-extra-k${index}`, 'v']) as Record<string, string>),
      }),
  },
  {
    name: 'impersonate-extra: many values',
    largest: 25_000,
    request: (size) =>
      get(NODES, { 'impersonate-user': 'x', 'impersonate-extra-k': times(size, () => 'v').join(',') }),
  },
  {
    name: 'impersonate-extra: percent signs',
    largest: 20_000,
    request: (size) =>
      get(NODES, { 'impersonate-user': 'x', [`impersonate-extra-${'%41'.repeat(size)}`]: 'v' }),
  },
];

export const URL_ABUSES: readonly Abuse[] = [
  query('a long path', (size) => `${NODES}/${'a'.repeat(size)}`, 60_000),
  query('many parts', (size) => `/api/v1${'/a'.repeat(size)}`, 30_000),
  query('many slashes', (size) => `/api/v1${'/'.repeat(size)}nodes`, 60_000),
  query('percent signs', (size) => `${NODES}/${'%41'.repeat(size)}`, 20_000),
  query('broken percent signs', (size) => `${NODES}/${'%zz'.repeat(size)}`, 20_000),
  query('many parameters', (size) => `${NODES}?${times(size, (index) => `p${index}=1`).join('&')}`, 8_000),
  query('one parameter many times', (size) => `${NODES}?${times(size, () => 'dryRun=x').join('&')}`, 6_000),
  query('timeout', (size) => `${NODES}?timeout=${'1'.repeat(size)}`, 60_000),
  query('timeout of many steps', (size) => `${NODES}?timeout=${'1s'.repeat(size)}`, 30_000),
  query('timeoutSeconds', (size) => `${NODES}?timeoutSeconds=${'1'.repeat(size)}`, 60_000),
  query('limit', (size) => `${NODES}?limit=${'1'.repeat(size)}x`, 60_000),
  query('resourceVersion', (size) => `${NODES}?resourceVersion=${'1'.repeat(size)}x`, 60_000),
  query('continue', (size) => `${NODES}?continue=${'A'.repeat(size)}`, 60_000),
  query(
    'continue of a deep text',
    (size) => `${NODES}?continue=${Buffer.from('['.repeat(size)).toString('base64url')}`,
    45_000,
  ),
  query(
    'many excluded checks',
    (size) => `/healthz?${times(size, (index) => `exclude=c${index}`).join('&')}`,
    5_000,
  ),
  query('a path outside of the API', (size) => `/${'a/'.repeat(size)}`, 30_000),
  selector('labelSelector', 'many terms', (size) => times(size, (index) => `k${index}`).join(','), 7_000),
  selector(
    'labelSelector',
    'many values',
    (size) => `k in (${times(size, (index) => `v${index}`).join(',')})`,
    7_000,
  ),
  selector('labelSelector', 'one long key', (size) => `${'a'.repeat(size)}/${'b'.repeat(size)}`, 30_000),
  selector('labelSelector', 'dots', (size) => `${'a.'.repeat(size)}/b`, 30_000),
  selector('labelSelector', 'dashes', (size) => `a${'-'.repeat(size)}`, 60_000),
  selector('labelSelector', 'blanks', (size) => `a${' '.repeat(size)}<`, 20_000),
  selector('labelSelector', 'numbers', (size) => `a>${'1'.repeat(size)}`, 60_000),
  selector('fieldSelector', 'many terms', (size) => times(size, () => 'metadata.name!=a').join(','), 2_500),
  selector('fieldSelector', 'no sign', (size) => 'a'.repeat(size), 60_000),
  selector(
    'fieldSelector',
    'unknown paths',
    (size) => times(size, (index) => `p${index}=1`).join(','),
    6_000,
  ),
  selector('fieldSelector', 'escapes', (size) => `metadata.name=${'\\,'.repeat(size)}`, 10_000),
  selector('fieldSelector', 'commas', (size) => ','.repeat(size), 20_000),
  selector('fieldSelector', 'half of a name', (size) => ',metadata.name='.repeat(size), 3_000),
];
