/** Generates names of objects, and checks names and namespaces against those that were requested. */

import { badRequest } from '../../kube/errors/status-error.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { IdSource } from '../../ports/process/id-source.ts';

/** Lower-case letters and digits without vowels and look-alikes. Source: apimachinery v1.34 `util/rand`. */
const SUFFIX_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_PREFIX = 58;

/** A name of `prefix` and five random characters. */
export const generateName = (prefix: string, ids: IdSource): string => {
  const suffix = Array.from(
    { length: SUFFIX_LENGTH },
    () => SUFFIX_CHARACTERS[Math.floor(ids.random() * SUFFIX_CHARACTERS.length)] ?? '',
  );
  return `${prefix.slice(0, MAX_PREFIX)}${suffix.join('')}`;
};

/** The object with the requested namespace, `''` for cluster-scoped kinds. Throws 400 if the object names another namespace. */
export const inNamespace = <T extends ApiObject>(object: T, namespace: string): T => {
  const { namespace: given = '', ...metadata } = object.metadata;
  if (given !== '' && namespace !== '' && given !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return {
    ...object,
    metadata: namespace === '' ? metadata : { ...metadata, namespace },
  };
};

/** Throws 400 if the object does not have the name of the URL. */
export const checkName = ({ metadata }: ApiObject, name: string): void => {
  if (!metadata.name)
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  if (metadata.name !== name)
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
};
