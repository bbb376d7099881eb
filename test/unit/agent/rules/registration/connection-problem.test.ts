import { expect, it } from 'vitest';
import { connectionAdvice } from '../../../../../agent/rules/registration/connection-problem.ts';

const at = (server: string, hasAuthority = true) => ({ server, hasAuthority });

it.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', at('https://a'), /not signed by the authority of --ca or --ca-data/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', at('https://a', false), /--ca FILE or the whole line/],
  ['CERT_NOT_YET_VALID', at('https://a'), /clock/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', at('https://a'), /--host-names/],
  ['ECONNREFUSED', at('https://a'), /--listen/],
  ['ECONNRESET', at('http://a'), /https/],
  ['ECONNRESET', at('https://a'), undefined],
  ['NO_ANSWER', at('https://a'), /HTTPS_PROXY/],
  ['constructor', at('https://a'), undefined],
  [undefined, at('https://a'), undefined],
])('%s at %o', (code, reached, advice) => {
  const given = connectionAdvice(code, reached);
  if (advice === undefined) expect(given).toBeUndefined();
  else expect(given).toMatch(advice);
});
