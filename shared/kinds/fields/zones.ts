/** Rules for a list of zones in objects. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { duplicate, invalidValue, required, tooMany } from '../../kube/errors/field-error.ts';
import { dnsLabelFaults } from '../../kube/values/names.ts';

const MOST_ZONES = 100;

/** An empty list is often one that somebody meant to fill, and must not stand for all nodes. */
const NO_ZONES = 'must name a zone; leave the field out for all zones';

const zonesFaults = (zones: readonly string[], field: string): readonly FieldError[] => [
  ...(zones.length > MOST_ZONES ? [tooMany(field, zones.length, MOST_ZONES)] : []),
  ...zones.flatMap((zone, index) => [
    ...dnsLabelFaults(zone).map((fault) => invalidValue(`${field}[${index}]`, zone, fault)),
    ...(zones.indexOf(zone) < index ? [duplicate(`${field}[${index}]`, zone)] : []),
  ]),
];

/** Rules for names of zones. An absent list is valid: it stands for all zones. */
export const validateZones = (zones: readonly string[] | undefined, field: string): readonly FieldError[] =>
  zones?.length === 0 ? [required(field, NO_ZONES)] : zonesFaults(zones ?? [], field);
