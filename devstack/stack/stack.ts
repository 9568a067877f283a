import { join } from 'node:path';
import { resolveMoto } from '../servers/moto.ts';
import { resolveServers } from '../servers/resolve-servers.ts';
import { ensureCredentials, type Tokens } from './credentials.ts';
import { setLogAside } from './logs.ts';
import { choosePorts, startOnFreePorts, type Ports } from './ports.ts';
import { processIdentity } from './process-identity.ts';
import type { StackContext } from './processes/stack-context.ts';
import { TEMPORAL_NAMESPACE } from './processes/temporal.ts';
import { neededServers, startServers } from './start-servers.ts';
import { emptyStateFolder, forgetObjects, makeFolders, stackFiles, type StackFiles } from './stack-files.ts';
import { defaultStackOptions, type DefaultedStackOptions, type StackOptions } from './stack-options.ts';
import {
  isAlive,
  readSupervisorRecord,
  removeRecords,
  writeStackDescription,
  writeSupervisorRecord,
  type StackDescription,
} from './stack-record.ts';
import { SupervisedProcess, type ProcessSpec } from './supervised-process.ts';

/** The state folder's stack runs already. */
export class StackRunning extends Error {
  override readonly name = 'StackRunning';
}

/** The processes in the order they end: who uses others before those; each inner list ends together. */
const STOP_ORDER: readonly (readonly string[])[] = [
  ['worker', 'watcher'],
  ['hollow-nodes', 'kwok', 'kube-controller-manager', 'kube-scheduler'],
  ['simulated-cloud', 'ec2-front', 'temporal', 'kube-apiserver'],
  ['moto', 'etcd'],
];

/**
 * Brings up the embedded stack and resolves when all of it serves. Where anything fails, everything that was started is
 * stopped and the failure names the server, its last lines and its log.
 */
export async function startStack(given: StackOptions = {}): Promise<Stack> {
  const options = defaultStackOptions(given);
  const files = stackFiles(options.stateDir, options.provider);
  refuseIfRunning(files);
  const binaries = await resolveServers(neededServers(options), options.progress, options.signal);
  const usesMoto = options.provider === 'aws' && options.withCloud;
  const moto = usesMoto ? await resolveMoto(options.progress, options.signal) : undefined;
  if (options.fresh) await emptyStateFolder(files);
  if (usesMoto) {
    options.progress.note(
      'Begins empty: moto keeps no instances, so the machines of an earlier start with it go, too.',
    );
    await forgetObjects(files);
  }
  await makeFolders(files);
  removeRecords(files); // Of a stack that did not end by a stop.
  const tokens = await ensureCredentials(files);
  const binary: StackContext['binary'] = (name) => {
    const resolved = binaries.get(name);
    if (!resolved) throw new Error(`${name} is not part of this stack`);
    return resolved.path;
  };
  return startOnFreePorts(async () => {
    const ports = await choosePorts(options.ports, files.portsJson);
    const stack = new Stack({ options, files, ports, tokens, binary, moto });
    try {
      await stack.startAll();
    } catch (error) {
      await stack.stop();
      throw error;
    }
    return stack;
  });
}

/** A running stack. */
export class Stack {
  readonly files: StackFiles;
  readonly ports: Ports;
  /** Bearer tokens of the API server's users. */
  readonly tokens: Tokens;
  /** Path of the administrator's kubeconfig; {@link files} has the others'. */
  readonly kubeconfig: string;
  readonly apiServer: string;
  readonly temporal: StackDescription['temporal'];
  readonly cloud: StackDescription['cloud'];
  readonly #context: StackContext;
  readonly #options: DefaultedStackOptions;
  readonly #processes = new Map<string, SupervisedProcess>();
  #complete = false;
  #stopping: Promise<void> | undefined;

  constructor(context: StackContext) {
    const { files, ports, options } = context;
    this.#context = context;
    this.#options = options;
    this.files = files;
    this.ports = ports;
    this.tokens = context.tokens;
    this.kubeconfig = files.kubeconfig;
    this.apiServer = `https://127.0.0.1:${ports['kube-apiserver']}`;
    this.temporal = {
      address: `127.0.0.1:${ports.temporal}`,
      namespace: TEMPORAL_NAMESPACE,
      uiUrl: `http://127.0.0.1:${ports['temporal-ui']}`,
    };
    this.cloud = { provider: options.provider, endpoint: `http://127.0.0.1:${ports.cloud}` };
  }

  /** Pid and log of every process, by name, as in `stack.json`. */
  get processes(): StackDescription['processes'] {
    const known = [...this.#processes.values()].filter(({ pid }) => pid !== undefined);
    return Object.fromEntries(known.map(({ name, pid, log }) => [name, { pid: pid ?? 0, log }]));
  }

  /** What `stack.json` holds. */
  get description(): StackDescription {
    const { kubeconfig, temporal: temporalServer, cloud, processes } = this;
    return { kubeconfig, temporal: temporalServer, cloud, processes };
  }

  /** Called once, by {@link startStack}. */
  async startAll(): Promise<void> {
    const task = this.#options.progress.task('Starting the servers', 12);
    const waiting = new Set<string>();
    const tell = () => task.detail([...waiting].join(', '));
    const up = async (spec: ProcessSpec) => {
      waiting.add(spec.name);
      tell();
      await this.#add(spec).start(this.#options.signal);
      waiting.delete(spec.name);
      tell();
    };
    try {
      await startServers(this.#context, this.apiServer, up);
    } catch (error) {
      task.failed();
      throw error;
    }
    task.done();
    this.#complete = true;
    this.#record();
  }

  /** Starts a process that was killed, or ends it and starts it again, and waits until it serves. */
  async restart(name: string): Promise<void> {
    const process = this.#process(name);
    await process.stop();
    await process.start();
  }

  /** Sends a signal, and waits for the end of the process where the signal ends it. It stays ended until a restart. */
  async kill(name: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.#process(name).kill(signal);
  }

  /** Ends everything, in order, and leaves the state. May be called again. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  /** Leaves everything running and lets this program end; `npm stop` ends the stack. */
  release(): void {
    for (const process of this.#processes.values()) process.release();
  }

  async #stopAll(): Promise<void> {
    for (const names of STOP_ORDER) {
      await Promise.all(names.map(async (name) => this.#processes.get(name)?.stop()));
    }
    removeRecords(this.files);
  }

  #add(spec: ProcessSpec): SupervisedProcess {
    const log = join(this.files.logs, `${spec.name}.log`);
    setLogAside(log);
    const process = new SupervisedProcess(spec, log, {
      onSpawn: () => this.#record(),
      onUnexpectedExit: (exit) => this.#options.onUnexpectedExit(exit),
    });
    this.#processes.set(spec.name, process);
    return process;
  }

  #process(name: string): SupervisedProcess {
    const process = this.#processes.get(name);
    if (process) return process;
    throw new Error(`this stack runs no ${name}; it runs ${[...this.#processes.keys()].join(', ')}`);
  }

  /** Written at every spawn, so that a stop finds every process whatever happens to this program. */
  #record(): void {
    if (this.#stopping) return;
    const ordered = STOP_ORDER.flat().flatMap((name) => this.#processes.get(name) ?? []);
    writeSupervisorRecord(this.files, {
      supervisor: { pid: process.pid, identity: processIdentity(process.pid) ?? '' },
      processes: ordered.flatMap(({ name, pid, identity, log }) =>
        pid === undefined || identity === undefined ? [] : [{ name, pid, identity, log }],
      ),
      complete: this.#complete,
    });
    if (!this.#complete) return;
    writeStackDescription(this.files, this.description);
  }
}

function refuseIfRunning(files: StackFiles): void {
  const record = readSupervisorRecord(files);
  if (!record) return;
  const alive = record.processes.filter(isAlive);
  if (alive.length > 0) {
    const names = alive.map(({ name, pid }) => `${name} (pid ${pid})`).join(', ');
    throw new StackRunning(`a stack runs in ${files.root} already: ${names}; stop it first with: npm stop`);
  }
}
