import type { JsonObject } from '../json/json-object.ts';
import type { StructType } from '../schema/field-types.ts';

/** Struct fields that are pointers in Go: they are absent from an empty object. */
const POINTERS: ReadonlySet<string> = new Set([
  'core.v1.Event.series',
  'core.v1.Event.related',
  'core.v1.ReplicationControllerSpec.template',
  'events.v1.Event.series',
  'node.v1.RuntimeClass.overhead',
  'node.v1.RuntimeClass.scheduling',
]);

/** Struct fields below the first level that are no pointers in Go: those of templates and strategies of workloads. */
const NESTED = /^(metadata|spec|.*template|.*strategy)$/i;

/** Fields without `omitempty`: Go writes them even if they are empty. */
const WRITTEN: Readonly<Record<string, JsonObject>> = {
  'core.v1.Event': {
    reportingComponent: '',
    reportingInstance: '',
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
  },
  'core.v1.PodSpec': { containers: null },
  'scheduling.v1.PriorityClass': { value: 0 },
  'storage.v1.CSINodeSpec': { drivers: null },
};

/** The object that a new object is compared with. It has only the fields that every object of its kind has. */
export const emptyObject = ({ message, fields }: StructType, isNested = false): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      field.type === 'struct' && !POINTERS.has(`${message}.${name}`) && (!isNested || NESTED.test(name))
        ? [[name, emptyObject(field, true)]]
        : [],
    ),
  ),
  ...WRITTEN[message],
});
