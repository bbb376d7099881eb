/** Ids of containers of the process runtime: `process://<uid of the pod>/<name>/<restart count>`. */

const SCHEME = 'process://';

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

/** The id of a container. */
export const containerId = ({ podUid, name, restartCount }: ContainerKey): string =>
  `${SCHEME}${podUid}/${name}/${restartCount}`;

/** The parts of an id; `undefined` if the process runtime did not give it. */
export const containerKey = (id: string): ContainerKey | undefined => {
  if (!id.startsWith(SCHEME)) return undefined;
  const [podUid = '', name = '', count = '', ...rest] = id.slice(SCHEME.length).split('/');
  const isId = rest.length === 0 && isSafeName(podUid) && isSafeName(name) && /^\d+$/.test(count);
  return isId ? { podUid, name, restartCount: Number(count) } : undefined;
};

/** The name of a container's folder and of its control group in that of its pod. */
export const containerFolder = ({ name, restartCount }: Omit<ContainerKey, 'podUid'>): string =>
  `${name}_${restartCount}`;
