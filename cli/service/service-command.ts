/** A command that systemd can run as a service. */
import type { CommandContext } from '../shell/command.ts';
import type { Described } from '../shell/shape.ts';

/** What a service needs to know of its command line. */
export interface ServiceSettings {
  /** Undefined: nobody gave one. */
  readonly folder?: string | undefined;
  /** That it listens on; 0: a free one. */
  readonly port: number;
  /** Settings of this terminal's environment: a service has another environment. */
  readonly fromEnvironment: readonly FromEnvironment[];
}

/** A variable, and the words of a command line that say the same. */
export interface FromEnvironment {
  readonly variable: string;
  readonly words: readonly string[];
}

export interface ServiceCommand extends Described {
  readonly name: 'serve' | 'proxy' | 'relay';
  readonly description: string;
  /** Reads a command line without starting anything. Throws a `CommandError`. */
  readonly read: (args: readonly string[], context: CommandContext) => Promise<ServiceSettings>;
}

/** `rollcall` for the host itself, `rollcall-relay` for a relay: the name of its unit, its folder and its file of variables. */
export const stemOf = ({ name }: Pick<ServiceCommand, 'name'>): string =>
  name === 'serve' ? 'rollcall' : `rollcall-${name}`;

export const unitOf = (command: Pick<ServiceCommand, 'name'>): string => `${stemOf(command)}.service`;

export const environmentFileOf = (command: Pick<ServiceCommand, 'name'>): string =>
  `/etc/${stemOf(command)}.env`;
