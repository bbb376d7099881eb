/** systemd, as far as it runs the agent. */
export interface ServiceManager {
  /** The unit that is there; `undefined`: none. */
  installed(): Promise<string | undefined>;
  /** Stores the unit and starts it, now and with the machine; an agent that runs already is started anew. Rejects with what systemd says. */
  install(unit: string): Promise<void>;
  /** Ends the service and removes its unit. `false`: there is none. */
  uninstall(): Promise<boolean>;
}
