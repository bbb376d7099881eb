/** The entries of ConfigMaps and Secrets as texts. */
import type { DataObject } from '../../rules/volumes/payload.ts';

type Texts = Readonly<Record<string, string>>;

/** Bytes are no environment variables: `binaryData` is left out. */
export const configMapText = (one: DataObject | undefined): Texts | undefined => one && (one.data ?? {});

export const secretText = (one: DataObject | undefined): Texts | undefined =>
  one &&
  Object.fromEntries(
    Object.entries(one.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
