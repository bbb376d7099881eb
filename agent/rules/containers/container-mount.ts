/** A folder or file of the machine that a container sees at `target`. */
export interface ContainerMount {
  /** Path on the machine. */
  readonly source: string;
  /** Absolute path in the container. */
  readonly target: string;
  readonly isReadOnly: boolean;
  /** Which mounts that are made later are seen on the other side; absent: none. */
  readonly propagation?: 'HostToContainer' | 'Bidirectional';
}
