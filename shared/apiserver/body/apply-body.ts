/**
 * Reads the configuration in the body of a server-side apply. Source: apiserver v1.34 `handlers/patch.go`;
 * apimachinery `versioncheck.go`, `structuredmerge.go`.
 */

import type { Strategy } from '../../kinds/contract/strategy.ts';
import { badRequest, StatusError } from '../../kube/errors/status-error.ts';
import { goJsonKind } from '../../kube/json/go-json-kind.ts';
import type { JsonObject } from '../../kube/json/json-object.ts';
import { isObject } from '../../kube/json/json-object.ts';
import { typedFault } from '../../kube/managed-fields/typed-fault.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { HttpRequest } from '../contract/http.ts';
import { tryJson } from './json.ts';
import { checkYamlSize } from './yaml-limits.ts';

const parsed = ({ body, yaml }: HttpRequest): unknown => {
  const json = tryJson(body);
  if (json) return json.value;
  checkYamlSize(body);
  const text = new TextDecoder().decode(body);
  return yaml ? yaml.parseYaml(text) : (JSON.parse(text) as unknown);
};

const decoded = (request: HttpRequest): unknown => {
  try {
    return parsed(request) ?? {};
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const complaint = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    throw badRequest(`error decoding YAML: error converting YAML to JSON: yaml: ${complaint}`);
  }
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The kind as Go prints it: `/v1, Kind=Node`. */
const printKind = ({ apiVersion, kind }: JsonObject): string => {
  const [first = '', version] = textOf(apiVersion).split('/', 2);
  return `${version === undefined ? `/${first}` : `${first}/${version}`}, Kind=${textOf(kind)}`;
};

const kindOf = ({ kind }: Pick<Strategy, 'kind'>): string =>
  `${kind.group}/${kind.version}, Kind=${kind.kind}`;

const metadataOf = ({ metadata }: JsonObject): JsonObject => (isObject(metadata) ? metadata : {});

const checkTypes = (config: JsonObject, { schema }: Pick<Strategy, 'schema'>): void => {
  const fault = typedFault(config, schema);
  if (!fault) return;
  const { namespace, name } = metadataOf(config);
  throw badRequest(
    `failed to create typed patch object (${textOf(namespace)}/${textOf(name)}; ${printKind(config)}): ${fault}`,
  );
};

/**
 * The configuration in the body. Throws 400 for a body that is not a configuration of this kind, and 413 for one of too many
 * values.
 */
export const readConfiguration = <T extends ApiObject>(
  request: HttpRequest,
  served: Pick<Strategy<T>, 'kind' | 'schema'>,
): JsonObject => {
  const config = decoded(request);
  if (!isObject(config))
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goJsonKind(config)} into Go value of type map[string]interface {}`,
    );
  if (printKind(config) !== kindOf(served)) throw badRequest(`invalid object type: ${printKind(config)}`);
  if (Array.isArray(metadataOf(config)['managedFields']))
    throw badRequest('metadata.managedFields must be nil');
  checkTypes(config, served);
  return config;
};
