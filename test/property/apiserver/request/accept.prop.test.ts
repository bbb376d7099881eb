import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { negotiate } from '../../../../shared/apiserver/request/accept.ts';
import { StatusError } from '../../../../shared/kube/errors/status-error.ts';

const OBJECT = { isList: false, isWatch: false };

const accepting = (accept: string) => ({
  method: 'GET',
  path: '/',
  query: new URLSearchParams(),
  headers: { accept },
  body: new Uint8Array(),
});

const types = fc.constantFrom(
  'application/json',
  'application/yaml',
  'text/html',
  '*/*',
  'application/*',
  '',
  ';',
  'a/b/c',
);
const parameters = fc.constantFrom(
  'q=0.5',
  'q=0',
  'q=x',
  'as=Table',
  'v=v1',
  'g=meta.k8s.io',
  'stream=watch',
  'pretty=1',
  '=',
  'as',
);
const clauses = fc
  .tuple(types, fc.array(parameters, { maxLength: 4 }))
  .map(([type, given]) => [type, ...given].join(';'));
const headers = fc.array(clauses, { maxLength: 6 }).map((given) => given.join(','));

const outcomeOf = (accept: string): string => {
  try {
    return negotiate(accepting(accept), OBJECT).contentType;
  } catch (error) {
    return error instanceof StatusError ? String(error.code) : 'broken';
  }
};

describe('any Accept header', () => {
  it('is satisfied or refused with 406', () => {
    fc.assert(
      fc.property(fc.oneof(headers, fc.string()), (accept) => {
        expect(['application/json', 'application/yaml', '406']).toContain(outcomeOf(accept));
      }),
    );
  });

  it('is satisfied if it contains JSON or a wildcard', () => {
    fc.assert(
      fc.property(
        headers,
        fc.constantFrom('application/json', '*/*'),
        fc.boolean(),
        (accept, more, isFirst) => {
          expect(outcomeOf(isFirst ? `${more},${accept}` : `${accept},${more}`)).not.toBe('406');
        },
      ),
    );
  });

  it('gives the same result with additional unacceptable clauses', () => {
    fc.assert(
      fc.property(headers, (accept) => {
        const plain = outcomeOf(`${accept},application/json`);
        expect(outcomeOf(`text/html,${accept},application/json,application/json;as=Foo`)).toBe(plain);
      }),
    );
  });
});
