/** What an agent takes of its machine. */
import type { Facts, MachineFacts } from '../facts/facts.ts';
import { type Verdict, verdictsOf } from '../facts/verdict.ts';
import { diskSpace } from './folder.ts';
import { isolation } from './isolation.ts';

const CONTROLLERS = ['cpu', 'memory', 'pids'];

const cgroups = (found: MachineFacts['cgroups']): Verdict => {
  const check = verdictsOf('cgroups');
  if (found === undefined)
    return check.warn('there are none: pods have no limits', 'mount them at /sys/fs/cgroup');
  const { version, controllers } = found;
  const missing = CONTROLLERS.filter((name) => !controllers.includes(name));
  if (missing.length === 0) return check.ok(`version ${version} with ${CONTROLLERS.join(', ')}`);
  return check.warn(
    `lacks ${missing.join(', ')}: pods have no such limits`,
    'boot with the controllers enabled, such as cgroup_enable=memory',
  );
};

const CONTAINERD: Readonly<
  Record<'absent' | 'answers' | 'refuses', (check: ReturnType<typeof verdictsOf>) => Verdict>
> = {
  absent: (check) => check.ok('is not installed: pods have no images of registries'),
  answers: (check) => check.ok('answers'),
  refuses: (check) =>
    check.warn(
      'its socket is there, and this user cannot connect',
      'be root, or start it: systemctl start containerd',
    ),
};

/** The machine of an agent. */
export const machine = ({ machine: found }: Facts): readonly Verdict[] => {
  if (found === undefined) return [];
  const [user, swap, flock] = [verdictsOf('user'), verdictsOf('swap'), verdictsOf('flock')];
  return [
    found.isRoot
      ? user.ok('root')
      : user.warn('is not root: pods have no limits, and one user', 'run the agent as root'),
    cgroups(found.cgroups),
    found.isSwapOn
      ? swap.warn('is on: the agent does not start', 'swapoff -a, or give the agent --fail-swap-on=false')
      : swap.ok('is off'),
    found.hasFlock
      ? flock.ok('is there')
      : flock.fail('is not there: the agent does not start', 'install util-linux'),
    isolation(found),
    CONTAINERD[found.containerd](verdictsOf('containerd')),
    { ...diskSpace(found.freeBytes, Number.POSITIVE_INFINITY), check: 'disk of pods' },
  ];
};
