/** The field manager of a write. Source: apiserver v1.34 `managerOrUserAgent`; apimachinery `ValidateFieldManager`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, tooLong } from '../../kube/errors/field-error.ts';
import type { HttpRequest } from '../contract/http.ts';

const MAX_BYTES = 128;
const NOT_PRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Faults of the option `fieldManager`. */
export const fieldManagerFaults = (query: URLSearchParams): readonly FieldError[] => {
  const manager = query.get('fieldManager') ?? '';
  const isLong = Buffer.byteLength(manager) > MAX_BYTES;
  let position = 0;
  // Each fault quotes the whole name, as in Kubernetes.
  const odd = Array.from(isLong ? manager.slice(0, MAX_BYTES) : manager).flatMap((character) => {
    const at = position;
    position += Buffer.byteLength(character);
    return NOT_PRINTABLE.test(character)
      ? [
          invalidValue(
            'fieldManager',
            manager,
            `invalid character ${codePointOf(character)} (at position ${at})`,
          ),
        ]
      : [];
  });
  return [...(isLong ? [tooLong('fieldManager', `may not be more than ${MAX_BYTES} bytes`)] : []), ...odd];
};

const agentOf = (header = ''): string => {
  let name = '';
  for (const character of header.split('/')[0] ?? '') {
    if (NOT_PRINTABLE.test(character)) continue;
    if (Buffer.byteLength(name + character) > MAX_BYTES) break;
    name += character;
  }
  return name;
};

/**
 * The field manager of a request: the option `fieldManager`, else the first token of the user agent, else
 * `unknown`.
 */
export const fieldManagerOf = ({ query, headers }: Pick<HttpRequest, 'query' | 'headers'>): string =>
  query.get('fieldManager') || agentOf(headers['user-agent']) || 'unknown';
