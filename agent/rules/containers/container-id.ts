/** Ids of containers that the agent names itself: `<runtime>://<uid of the pod>/<name>/<restart count>`, such as `runc://a-1/web/0`. */

const ID = /^[a-z]+:\/\/([^/]*)\/([^/]*)\/(\d+)$/;

/** The parts of an id. A container with the same parts is the same container, so it is never started twice. */
export interface ContainerKey {
  readonly podUid: string;
  readonly name: string;
  readonly restartCount: number;
}

/** Letters, digits, `-`, `_` and `.`, which no path can be left with. */
const SAFE = /^[A-Za-z0-9][\w.-]*$/;

/** Whether a uid or a name may become the name of a folder. */
export const isSafeName = (name: string): boolean => SAFE.test(name);

/** The id of a container. `runtime`: its name as the Node has it in `containerRuntimeVersion`. */
export const containerId = (runtime: string, { podUid, name, restartCount }: ContainerKey): string =>
  `${runtime}://${podUid}/${name}/${restartCount}`;

/** The parts of an id, whichever runtime the agent had when it gave it; `undefined`: it is none of the agent's own. */
export const containerKey = (id: string): ContainerKey | undefined => {
  const [, podUid = '', name = '', count = ''] = ID.exec(id) ?? [];
  const isId = isSafeName(podUid) && isSafeName(name);
  return isId ? { podUid, name, restartCount: Number(count) } : undefined;
};

const ownPart = (id: string): string => id.slice(id.indexOf('://'));

/** Whether both ids are of one container: an agent before this one may have named another runtime. */
export const isSameContainer = (one: string, other: string): boolean =>
  one === other || (containerKey(one) !== undefined && ownPart(one) === ownPart(other));

/** The name of a container's folder and of its control group in that of its pod. */
export const containerFolder = ({ name, restartCount }: Omit<ContainerKey, 'podUid'>): string =>
  `${name}_${restartCount}`;
