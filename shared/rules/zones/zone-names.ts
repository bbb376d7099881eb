import { fnv1a } from '../../kube/text/fnv1a.ts';
import { LABEL_REGION, LABEL_REGION_BETA, LABEL_ZONE, LABEL_ZONE_BETA } from '../../kube/types/well-known.ts';

/** The labels of an object, by name. */
export type Labels = Readonly<Record<string, string>>;

const SEPARATOR = ':\0:';
const MAX_LABEL = 63;
const NO_ZONE = 'no-zone';

/**
 * The zone a node belongs to: `region:\0:zone`, or '' when both are empty; a beta label wins when it is present.
 * Source: kubernetes v1.34 component-helpers `GetZoneKey`.
 */
export const zoneKeyOf = (labels: Labels | undefined): string => {
  const zone = labels?.[LABEL_ZONE_BETA] ?? labels?.[LABEL_ZONE] ?? '';
  const region = labels?.[LABEL_REGION_BETA] ?? labels?.[LABEL_REGION] ?? '';
  return region === '' && zone === '' ? '' : `${region}${SEPARATOR}${zone}`;
};

/** Labels of a node of the zone with this key. */
export const labelsOfZone = (key: string): Labels => {
  const [region = '', zone = ''] = key.split(SEPARATOR);
  return { [LABEL_REGION]: region, [LABEL_ZONE]: zone };
};

const isPlainPart = (part: string): boolean =>
  /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(part) && !part.includes('--');

/** The readable id of a key, `undefined` if two different keys could share it. */
const plainId = (key: string): string | undefined => {
  const parts = key.split(SEPARATOR);
  const [region, zone] = parts;
  if (region === undefined || zone === undefined || parts.length !== 2 || !isPlainPart(zone))
    return undefined;
  if (region === '') return zone === NO_ZONE ? undefined : zone;
  return isPlainPart(region) ? `${region}--${zone}` : undefined;
};

/** An id with a hash. '---' never occurs in a plain id, so an id of this kind never equals a plain one. */
const hashedId = (key: string): string => {
  const hash = fnv1a(key).toString(16).padStart(8, '0');
  const readable = key
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LABEL - hash.length - 3)
    .replace(/^-+|-+$/g, '');
  return `${readable === '' ? 'zone' : readable}---${hash}`;
};

/**
 * The id of a zone, a DNS label, because a zone key is not a legal name: `region--zone`, or `no-zone` for ''. The id ends in a
 * hash if characters had to be replaced or if it would be longer than 63 characters.
 */
export const zoneIdOf = (key: string): string => {
  if (key === '') return NO_ZONE;
  const plain = plainId(key);
  return plain !== undefined && plain.length <= MAX_LABEL ? plain : hashedId(key);
};

/**
 * The display name of a zone, for people, logs and metrics: `zone`, `region/zone`, `region/` for a region without a
 * zone, `no-zone` for ''. Two keys never share a name, except that a zone labelled `no-zone` looks like none.
 */
export const zoneNameOf = (key: string): string => {
  const [region = '', zone = ''] = key.split(SEPARATOR);
  if (region !== '') return `${region}/${zone}`;
  return zone === '' ? NO_ZONE : zone;
};
