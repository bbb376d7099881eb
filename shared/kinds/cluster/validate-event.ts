/** Rules of Events. Source: core validation v1.34 `events.go`. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, required } from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { Event } from '../../kube/types/core.ts';
import type { ObjectReference } from '../../kube/types/meta.ts';
import { dnsSubdomainFaults, qualifiedNameFaults } from '../../kube/values/names.ts';
import {
  pathSegmentName,
  validateCommonMetadata,
  validateMetadata,
  validateMetadataUpdate,
} from '../fields/metadata.ts';

const LIMITS = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

type Limited = keyof typeof LIMITS;

// Events about cluster-scoped objects are in one of these namespaces; Events without `eventTime` only in the first.
const CLUSTER_SCOPE_NAMESPACES: readonly string[] = ['default', 'kube-system'];

const validateInvolvedObject = ({ metadata, involvedObject, eventTime }: Event): readonly FieldError[] => {
  const { namespace = '' } = involvedObject;
  const own = metadata.namespace ?? '';
  const fits =
    namespace === ''
      ? CLUSTER_SCOPE_NAMESPACES.slice(0, eventTime ? 2 : 1).includes(own)
      : Boolean(eventTime) || namespace === own;
  return fits ? [] : [invalidValue('involvedObject.namespace', namespace, 'does not match event.namespace')];
};

const tooLong = (event: Event, field: Limited): readonly FieldError[] =>
  (event[field] ?? '').length > LIMITS[field]
    ? [invalidValue(field, '', `can have at most ${LIMITS[field]} characters`)]
    : [];

const missing = (event: Event, field: Limited): readonly FieldError[] =>
  event[field] ? [] : [required(field)];

const validateReporter = (name: string, field: string): readonly FieldError[] => [
  ...(name === '' ? [required(field)] : []),
  ...qualifiedNameFaults(name).map((fault) => invalidValue(field, name, fault)),
];

// An Event with `eventTime`, a field of `events.k8s.io`, must name its reporter, the action and the reason.
const validateReport = (event: Event, reporter: string): readonly FieldError[] =>
  event.eventTime
    ? [
        ...validateReporter(event.reportingComponent ?? '', reporter),
        ...(['reportingInstance', 'action', 'reason'] as const).flatMap((field) => [
          ...missing(event, field),
          ...tooLong(event, field),
        ]),
        ...tooLong(event, 'message'),
      ]
    : [];

/** Rules of both versions. `reporter` is the version's field name of the reporting component. */
const validateBoth = (event: Event, reporter: string): readonly FieldError[] => {
  const { namespace = '' } = event.metadata;
  return [
    ...validateInvolvedObject(event),
    ...validateReport(event, reporter),
    ...dnsSubdomainFaults(namespace).map((fault) => invalidValue('namespace', namespace, fault)),
  ];
};

/** Rules for a new core Event. Its name may be any path segment. */
export const validateEvent = (event: Event): readonly FieldError[] => {
  const faults = validateBoth(event, 'reportingComponent');
  return faults.length > 0
    ? faults
    : validateMetadata(event.metadata, { namespaced: true, nameRule: pathSegmentName });
};

/** Rules for a changed core Event. */
export const validateEventUpdate = (after: Event, before: Event): readonly FieldError[] => [
  ...validateCommonMetadata(after.metadata, before.metadata),
  ...validateBoth(after, 'reportingComponent'),
];

const CONTROLLER = 'reportingController';

const validateSeries = ({ series }: Event): readonly FieldError[] =>
  series
    ? [
        ...((series.count ?? 0) < 2 ? [invalidValue('series.count', '', 'should be at least 2')] : []),
        ...(series.lastObservedTime ? [] : [required('series.lastObservedTime')]),
      ]
    : [];

const isEmptySource = ({ source }: Event): boolean => !source?.component && !source?.host;

const unset = (field: string, isUnset: boolean): readonly FieldError[] =>
  isUnset ? [] : [invalidValue(field, '', 'needs to be unset')];

/** Rules for a new Event of `events.k8s.io/v1`. Like Kubernetes, they use the field names of the stored form. */
export const validateNewEvent = (event: Event): readonly FieldError[] => [
  ...validateBoth(event, CONTROLLER),
  ...validateMetadata(event.metadata, { namespaced: true }),
  ...validateSeries(event),
  ...(event.eventTime ? [] : [required('eventTime')]),
  ...(['Normal', 'Warning'].includes(event.type ?? '')
    ? []
    : [invalidValue('type', '', `has invalid value: ${event.type ?? ''}`)]),
  ...unset('firstTimestamp', !event.firstTimestamp),
  ...unset('lastTimestamp', !event.lastTimestamp),
  ...unset('count', !event.count),
  ...unset('source', isEmptySource(event)),
];

const FIXED = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const;

/** Formats a reference as Kubernetes does: as its internal Go type, with every field. */
const printedReference = (reference: ObjectReference | undefined): object | string =>
  reference
    ? {
        Kind: reference.kind ?? '',
        Namespace: reference.namespace ?? '',
        Name: reference.name ?? '',
        UID: reference.uid ?? '',
        APIVersion: reference.apiVersion ?? '',
        ResourceVersion: reference.resourceVersion ?? '',
        FieldPath: reference.fieldPath ?? '',
      }
    : '';

const printedField = (event: Event, field: (typeof FIXED)[number]): unknown =>
  field === 'involvedObject' || field === 'related' ? printedReference(event[field]) : (event[field] ?? '');

/** Rules for an Event changed through `events.k8s.io/v1`: only its series, labels and annotations may change. */
export const validateNewEventUpdate = (after: Event, before: Event): readonly FieldError[] => {
  const metadata = validateMetadataUpdate(after.metadata, before.metadata);
  return [
    ...metadata,
    ...validateBoth(after, CONTROLLER),
    ...metadata,
    ...(deepEqual(after.series, before.series) ? [] : validateSeries(after)),
    ...FIXED.filter((field) => !deepEqual(after[field], before[field])).map((field) =>
      invalidValue(
        field === 'reportingComponent' ? CONTROLLER : field,
        printedField(after, field),
        'field is immutable',
      ),
    ),
  ];
};
