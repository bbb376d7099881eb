/** Generates names of objects, and checks names and namespaces against those of the request. */
import type { ApiObject } from '../../api/meta.ts';
import { badRequest } from '../../api/status-error.ts';
import type { IdSource } from '../../ports/id-source.ts';
import type { Call } from '../call.ts';

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

/** The object with the request's namespace. Throws 400 when it names another one. */
export const inNamespace = <T extends ApiObject>(object: T, { info }: Call): T => {
  const { namespace: given = '', ...metadata } = object.metadata;
  if (given !== '' && info.namespace !== '' && given !== info.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return {
    ...object,
    metadata: info.namespace === '' ? metadata : { ...metadata, namespace: info.namespace },
  };
};

/** Throws 400 when the object's name is not the request's. */
export const checkName = ({ metadata }: ApiObject, { info }: Call): void => {
  if (!metadata.name)
    throw badRequest(
      `the name of the object (${info.name} based on URL) was undeterminable: name must be provided`,
    );
  if (metadata.name !== info.name)
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${info.name})`,
    );
};
