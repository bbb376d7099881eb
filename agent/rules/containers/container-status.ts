/** The statuses of containers, as the API has them. */

export interface Terminated {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: string | null;
  readonly finishedAt?: string | null;
  readonly containerID?: string;
}

/** At most one member is set. None counts as unknown. */
export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string | null };
  readonly terminated?: Terminated;
}

export interface ContainerStatus {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
  /** Runtime and id, such as `runc://4711`; absent until the container was created. */
  readonly containerID?: string;
  readonly started?: boolean;
  readonly [field: string]: unknown;
}

/** Of a container that ran, of which nothing else is known. Source: kubernetes v1.34 `ContainerReasonStatusUnknown`. */
export const CONTAINER_STATUS_UNKNOWN: Pick<Terminated, 'reason' | 'exitCode'> = {
  reason: 'ContainerStatusUnknown',
  exitCode: 137,
};

/** The statuses by name of the container. Of two with one name the first counts. */
export const byName = (statuses: readonly ContainerStatus[]): ReadonlyMap<string, ContainerStatus> =>
  new Map(statuses.toReversed().map((status) => [status.name, status]));
