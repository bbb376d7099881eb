/** How a container is called by the runtime and among control groups. */
import { containerFolder } from '../../../rules/containers/container-id.ts';
import type { Place } from '../../containers/places.ts';

/** The runtime's id: of one restart count, whatever the attempt is. */
export const runtimeId = ({ key }: Place): string => `${key.podUid}_${containerFolder(key)}`;

/** The group of its keeper and of what that starts. */
export const keeperGroup = ({ group }: Place): string => `${group}.keeper`;
