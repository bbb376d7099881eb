/** Which controllers run in which groups on AWS, by the settings. */
import { type AnyController, CONTROLLERS, type ControllerName } from '../../lambdas/controllers.ts';
import { GROUP_NAMES, GROUPS, type GroupName, LIFECYCLE_GROUPS } from '../../lambdas/groups.ts';
import { runningControllers } from '../../lambdas/running-controllers.ts';
import type { Configuration } from '../../shared/settings/aws/configuration.ts';
import { InvalidSettingsError } from '../../shared/settings/invalid-settings.ts';

/** The controllers of each group, in its order. A group without controllers is missing. */
export type RunningGroups = ReadonlyMap<GroupName, readonly AnyController[]>;

/** What the rest of the control plane relies on, and what would happen without it. */
const NEEDED: readonly (readonly [ControllerName, string])[] = [
  ['capacity-release', 'the API keeps claims of room on nodes, which would never be released'],
  ['hold', 'the API brings Holds into force, which would never end'],
  ['node-ipam', 'it has to note which Nodes came and went, or it would later give a range out twice'],
];

/** Those whose settings give them something to do. Messages for others are dropped. */
const isWanted = (name: ControllerName, { cloud, outOfService, volumeAttacher }: Configuration): boolean => {
  if (name === 'cloud-node') return cloud !== undefined || outOfService.policy === 'proven';
  return name !== 'volume-attacher' || volumeAttacher !== 'none';
};

/** They run only if settings ask for them. */
const CLOUD: readonly ControllerName[] = GROUPS.cloud.controllers;

const listOf = (configuration: Configuration): string => {
  const { profile, controllers } = configuration;
  if (profile === 'full') return controllers;
  if (controllers !== 'all')
    throw new InvalidSettingsError('profile: it stands for a list of controllers; leave out one of the two');
  const unused = CLOUD.find((name) => isWanted(name, configuration));
  if (unused)
    throw new InvalidSettingsError(
      `profile: lifecycle runs no ${unused}; leave out the settings about clouds, or the profile`,
    );
  return LIFECYCLE_GROUPS.flatMap((group) => GROUPS[group].controllers).join(',');
};

const checkNeeded = (running: readonly ControllerName[]): void => {
  if (running.length === 0) return;
  const missing = NEEDED.find(([name]) => !running.includes(name));
  if (missing) throw new InvalidSettingsError(`controllers: ${missing[0]} must run on AWS: ${missing[1]}`);
};

const controllerOf = (name: ControllerName): AnyController => {
  const found = CONTROLLERS.find((one) => one.name === name);
  if (!found) throw new Error(`no controller ${name}`);
  return found;
};

/** Throws an `InvalidSettingsError` if a name is unknown, or if something runs without a controller that it relies on. */
export const runningGroups = (configuration: Configuration): RunningGroups => {
  const running = runningControllers(listOf(configuration));
  checkNeeded(running);
  const wanted = running.filter((name) => isWanted(name, configuration));
  const groups = GROUP_NAMES.map((group) => {
    const names: readonly ControllerName[] = GROUPS[group].controllers;
    return [group, names.filter((name) => wanted.includes(name)).map(controllerOf)] as const;
  });
  return new Map(groups.filter(([, controllers]) => controllers.length > 0));
};

/** Whether a controller runs. */
export const runsIn = (groups: RunningGroups, name: ControllerName): boolean =>
  [...groups.values()].flat().some((controller) => controller.name === name);
