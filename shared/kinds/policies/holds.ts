import '../../kube/schema/rare-messages.ts';
import { type FieldError, forbiddenField } from '../../kube/errors/field-error.ts';
import type { Hold } from '../../kube/types/hold.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { MOST_HOLDS } from '../../rules/holds/hold-book.ts';
import { hasEnded } from '../../rules/holds/hold-state.ts';
import { rowsIn } from '../../store/lists/row-pages.ts';
import type { AdmissionRequest } from '../contract/admission-request.ts';
import { countedSpec, storedObject, withStatus } from '../contract/stored-object.ts';
import type { ServedKind, Strategy } from '../contract/strategy.ts';
import { untilChangeFaults, untilFaults, validateHold, validateHoldChange } from './validate-hold.ts';

const KIND: ServedKind = {
  group: 'rollcall.dev',
  version: 'v1',
  kind: 'Hold',
  resource: 'holds',
  namespaced: false,
};

/** A new Hold says who made it, whatever its maker says. */
const admit = ({ object, operation, user }: AdmissionRequest<Hold>): Hold =>
  operation === 'create' ? { ...object, status: { by: user.name } } : object;

const { forUpdate } = withStatus<Hold>({});
const counts = countedSpec<Hold>();

const alone = storedObject<Hold>(
  { kind: KIND, message: 'rollcall.v1.Hold', rules: validateHold, changeRules: validateHoldChange },
  {
    admit,
    // With the status that admission has made.
    forCreate: counts.forCreate,
    forUpdate: (after, before) => counts.forUpdate(forUpdate(after, before), before),
    forStatusUpdate: (after, before) => ({
      ...after,
      ...optional('spec', before.spec),
      status: { ...after.status, ...optional('by', before.status?.by) },
    }),
  },
);

const countFaults = (active: number): readonly FieldError[] =>
  active < MOST_HOLDS
    ? []
    : [forbiddenField('spec', `a cluster has at most ${MOST_HOLDS} Holds that have not ended`)];

/** The rules that also look at the time (ms). Faults of the Hold itself come first, and alone. */
const at = (now: EpochMs): Strategy<Hold> => ({
  ...alone,
  validateUpdate: (after, before) => {
    const faults = alone.validateUpdate(after, before);
    return faults.length > 0 ? faults : untilChangeFaults(after, before, now);
  },
});

/** The rules of a new Hold beside `active` others that have not ended. */
const among = (active: number, now: EpochMs): Strategy<Hold> => ({
  ...alone,
  validate: (hold) => {
    const faults = [...alone.validate(hold), ...untilFaults(hold, now)];
    return faults.length > 0 ? faults : countFaults(active);
  },
});

/** How Holds behave. Their `status` is the control plane's, but for who made them. */
export const holdStrategy: Strategy<Hold> = {
  ...alone,
  prepared: async (_hold, { objects, clock }) => {
    const now = clock.now();
    const others = await Array.fromAsync(rowsIn(objects, KIND.resource, ''), ({ object }) => object as Hold);
    return among(others.filter((one) => !hasEnded(one, now)).length, now);
  },
  preparedForUpdate: async (_namespace, { clock }) => at(clock.now()),
};
