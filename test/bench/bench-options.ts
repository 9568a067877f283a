import { parseArgs } from 'node:util';
import { given } from '../../providers/given.ts';

const SCENARIOS = ['up', 'down', 'delete', 'blocked', 'idle', 'heal', 'storm', 'roll'] as const;
const PROVIDERS = ['simulated', 'aws'] as const;

export const USAGE = `Usage: npm run bench -- [options]

Brings up a stack of its own, scales a MachineSet from nothing to N, and then, by the scenario:

  --scenario up       leaves it there
  --scenario down     takes it back to nothing (default)
  --scenario delete   takes it back to nothing with pods on its Nodes, after kubectl drained the same Nodes
  --scenario blocked  takes it back to nothing with pods that may not leave, while another set comes up
  --scenario idle     leaves it alone for some minutes
  --scenario heal     has a health check watch it for a minute, and some of its Nodes turn not Ready then
  --scenario storm    has most of its Nodes seem to be gone within ten seconds, and come back
  --scenario roll     puts a MachineDeployment above it, and rolls all machines to another template

  --machines N        machines of the set (default 50)
  --pods P            pods on each Node, of delete (default 10)
  --failing K         Nodes that turn not Ready, of heal, or that seem to be gone, of storm (default 3)
  --in-flight F       how many machines may be remediated at a time, of heal (default 20 % of them)
  --rewrite-every S   something writes reason and lastTransitionTime of their condition anew each S seconds, of heal (default never)
  --terminated T      instances that end meanwhile, of storm (default 3)
  --surge S           machines beside those that are wanted, number or percent, of roll (default 25%)
  --minutes M         how long it is left alone, of idle (default 10)
  --no-drain          machines are annotated so that their Nodes are not drained, of down
  --provider NAME     simulated (default) or aws: moto's EC2
  --limits            the cloud has the limits of calls that EC2 documents, and the worker keeps to them
  --json FILE         writes what was measured there
  --help              shows this
`;

export interface BenchOptions {
  readonly scenario: (typeof SCENARIOS)[number];
  readonly machines: number;
  readonly pods: number;
  /** Nodes that turn not Ready. */
  readonly failing: number;
  /** How many machines may be remediated at a time. Absent: what is so by default. */
  readonly inFlight?: number;
  /** Between two times at which what is bad of a Node is told anew, with another reason and time, in seconds. Absent: it is told once. */
  readonly rewriteEverySeconds?: number;
  /** Instances that end while other Nodes seem to be gone. */
  readonly terminated: number;
  /** maxSurge of the rollout; none is unavailable meanwhile. */
  readonly surge: number | string;
  readonly minutes: number;
  /** Nodes are not drained. */
  readonly withoutDrain: boolean;
  readonly provider: (typeof PROVIDERS)[number];
  readonly withLimits: boolean;
  /** File for what was measured. */
  readonly json?: string;
}

/** Why the options cannot work, in words for who gave them. */
export class BenchOptionsError extends Error {
  override readonly name = 'BenchOptionsError';
}

/** @throws BenchOptionsError */
export function readBenchOptions(args: readonly string[]): BenchOptions | 'help' {
  const values = parse(args);
  if (values.help) return 'help';
  const options: BenchOptions = {
    scenario: oneOf('--scenario', SCENARIOS, values.scenario),
    machines: wholeNumber('--machines', values.machines),
    pods: wholeNumber('--pods', values.pods),
    failing: wholeNumber('--failing', values.failing),
    surge: surgeOf(values.surge),
    minutes: Number(values.minutes),
    withoutDrain: values['no-drain'],
    provider: oneOf('--provider', PROVIDERS, values.provider),
    withLimits: values.limits,
    terminated: wholeNumber('--terminated', values.terminated),
    ...given({
      json: values.json,
      inFlight: optionalNumber('--in-flight', values['in-flight']),
      rewriteEverySeconds: optionalNumber('--rewrite-every', values['rewrite-every']),
    }),
  };
  if (!(options.minutes > 0)) throw new BenchOptionsError(`--minutes ${values.minutes}: a number above 0 is needed`);
  // The other scenarios drain, or delete nothing.
  if (options.withoutDrain && options.scenario !== 'down') {
    throw new BenchOptionsError(`--no-drain goes with --scenario down, and not with ${options.scenario}`);
  }
  return options;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        scenario: { type: 'string', default: 'down' },
        machines: { type: 'string', default: '50' },
        pods: { type: 'string', default: '10' },
        failing: { type: 'string', default: '3' },
        'in-flight': { type: 'string' },
        'rewrite-every': { type: 'string' },
        terminated: { type: 'string', default: '3' },
        surge: { type: 'string', default: '25%' },
        minutes: { type: 'string', default: '10' },
        'no-drain': { type: 'boolean', default: false },
        provider: { type: 'string', default: 'simulated' },
        limits: { type: 'boolean', default: false },
        json: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new BenchOptionsError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function optionalNumber(option: string, value: string | undefined): number | undefined {
  return value === undefined ? undefined : wholeNumber(option, value);
}

function surgeOf(value: string): number | string {
  if (/^[1-9][0-9]*%?$/.test(value)) return value.endsWith('%') ? value : Number(value);
  throw new BenchOptionsError(
    `--surge ${value}: a whole number above 0, or a percent of the machines such as 25%, is needed`,
  );
}

function oneOf<T extends string>(option: string, known: readonly T[], value: string): T {
  const found = known.find((each) => each === value);
  if (found === undefined) throw new BenchOptionsError(`${option} ${value}: one of ${known.join(', ')} is needed`);
  return found;
}

function wholeNumber(option: string, value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number > 0) return number;
  throw new BenchOptionsError(`${option} ${value}: a whole number above 0 is needed`);
}
