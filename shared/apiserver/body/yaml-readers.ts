/** Loads the YAML library only for requests that need it: it is large, and most processes never read YAML. */

import { YAML_TYPE } from '../contract/accepted.ts';
import type { HttpRequest, YamlReaders } from '../contract/http.ts';
import { mediaTypeOf } from '../contract/http.ts';
import { tryJson } from './json.ts';

// Clients in Go send JSON even if the media type says YAML.
const isYaml = ({ headers, body }: HttpRequest): boolean => {
  const type = mediaTypeOf(headers['content-type']);
  return type === YAML_TYPE || (type === 'application/apply-patch+yaml' && !tryJson(body));
};

const unasked = (): never => {
  throw new Error('no reader for YAML was loaded for this body');
};

const NONE: YamlReaders = { readYaml: unasked, parseYaml: unasked };

/** The request with readers for YAML, which are loaded if its body is YAML. */
export const withYaml = async (request: HttpRequest): Promise<HttpRequest> => ({
  ...request,
  yaml: isYaml(request) ? await import('./yaml.ts') : NONE,
});
