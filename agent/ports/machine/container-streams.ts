/** Logs of containers, and streams to what runs in them. */
import type { Duplex, Readable, Writable } from 'node:stream';

/** Where the newest lines of a container are. Older ones are in files beside it. */
export interface ContainerLog {
  /** In the format of the CRI: each line begins with its time, its stream and a tag. */
  readonly path: string;
}

/** Which streams a client asks for. */
export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  /** `false` with `tty`: a terminal has one output. */
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Size of a terminal, in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** A process whose streams the agent carries. Only those that are wanted are there. */
export interface StreamedProcess {
  readonly stdin?: Writable;
  readonly stdout?: Readable;
  readonly stderr?: Readable;
  /** Resolves with the exit code when the process has ended and its output was read. Rejects with why it could not run. */
  readonly ended: Promise<number>;
  resize(size: TerminalSize): void;
  /** Ends the process with all that it has started: its client is gone. */
  end(): void;
}

/** The network of a pod. */
export interface PodNetwork {
  /** Connects to a port. Rejects with the machine's error. */
  dial(port: number): Promise<Duplex>;
}

/**
 * What a container runtime gives to the agent's server. A URL leads to a server of the runtime, which speaks SPDY/3.1 as a kubelet does.
 * Methods reject with the runtime's error.
 */
export interface ContainerStreams {
  /** `undefined`: there is no such container, or it has no log. */
  log(id: string): Promise<ContainerLog | undefined>;
  exec(id: string, command: readonly string[], wanted: WantedStreams): Promise<StreamedProcess | URL>;
  attach(id: string, wanted: WantedStreams): Promise<StreamedProcess | URL>;
  /** `ports`: those that the client names, none if it does not yet. */
  forward(podUid: string, ports: readonly number[]): Promise<PodNetwork | URL>;
}
