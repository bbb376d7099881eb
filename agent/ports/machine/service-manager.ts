/** systemd, as far as it runs one service of this program. */
export interface ServiceManager {
  /** Whether systemd runs this machine: where it is only installed, it starts nothing. */
  isThere(): Promise<boolean>;
  /** The unit that is there; `undefined`: none. */
  installed(): Promise<string | undefined>;
  /** Stores the unit and starts it, now and with the machine; what runs already is started anew. Rejects with what systemd says. */
  install(unit: string): Promise<void>;
  /** Ends the service and removes its unit. `false`: there is none. */
  uninstall(): Promise<boolean>;
  /** Properties of the service, by name. Rejects with what systemd says. */
  properties(names: readonly string[]): Promise<Readonly<Record<string, string>>>;
}
