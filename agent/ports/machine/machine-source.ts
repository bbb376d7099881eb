import type { FileSystemSize, Machine } from '../../rules/machine/machine.ts';
import type { DefaultRoute, NetworkInterface } from '../../rules/machine/routes.ts';

export interface SystemFacts {
  readonly hostName: string;
  readonly kernelVersion: string;
  /** The system's name for people, such as `Debian GNU/Linux 12 (bookworm)`. */
  readonly osImage: string;
  /** As Go calls it: `linux`. */
  readonly operatingSystem: string;
  /** As Go calls it: `amd64`. */
  readonly architecture: string;
}

/** What the agent reads about the machine that it runs on. Each method rejects if the machine cannot be read. */
export interface MachineSource {
  machine(): Promise<Machine>;
  system(): Promise<SystemFacts>;
  /** When the machine was started, in ms since the epoch by its own clock. */
  bootTime(): Promise<number>;
  interfaces(): readonly NetworkInterface[];
  defaultRoutes(): Promise<readonly DefaultRoute[]>;
  /** The addresses of a name; none if it does not resolve. */
  lookUp(name: string): Promise<readonly string[]>;
  /** The file system that holds this path. */
  fileSystem(path: string): Promise<FileSystemSize>;
}
