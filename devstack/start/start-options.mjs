/** The command line of `npm start` and `npm stop`. Runs before anything is installed: Node's built-ins only. */

import { parseArgs } from 'node:util';
import { PORT_NAMES, PROVIDER_NAMES } from '../stack/stack-names.mjs';

export const START_HELP = `Usage: npm start -- [options]

Brings up Kubernetes, Temporal, a cloud and Millwright on this computer, and shows machines come alive.

Options:
  --detach              return when all is ready; npm stop ends it
  --no-example          leave the cluster empty (else examples/machineset.yaml or, with aws,
                        examples/aws-machineset.yaml is applied, once)
  --fresh               forget everything the last start left behind
  --state-dir <folder>  where everything is kept (default: .millwright in the checkout); another folder is another stack
  --provider <name>     the cloud: simulated (default), or aws: EC2 as moto plays it, which begins empty every time;
                        each has a state of its own
  --cloud-limits        the cloud refuses more calls than EC2 documents for an account, and the worker keeps to that
  --node-monitor-grace <seconds>
                        a Node without a heartbeat for so long turns Unknown (default: 15), and health checks hold
                        back for so long after the API server was away (default: 50)
  --port-<name> <port>  a port on 127.0.0.1 that must be this one (default: the last start's, else a free one);
                        names: ${PORT_NAMES.slice(0, 5).join(', ')},
                        ${PORT_NAMES.slice(5, 10).join(', ')},
                        ${PORT_NAMES.slice(10).join(', ')}
  --help                show this

Your own cluster and Temporal, instead of those brought up here:
  --external            use them: names both, asks, installs into them, and runs a watcher and a worker here until Ctrl-C
                        (or --detach). KUBECONFIG, TEMPORAL_* and AWS_* count with this, and only with this
  --yes                 do not ask
  --kubeconfig <path>, --context <name>                      which cluster, as kubectl takes it
  --profile <name>, --temporal-address <host:port>, --temporal-namespace <name>
                                                             which Temporal, as temporal takes it (temporal.toml)
  --namespace <name>    the watcher looks at this Kubernetes namespace only
  --task-queue <name>   Temporal task queue (default: millwright-<uid of kube-system>)
  --example             apply the example of --provider, too

Binaries of your own: MILLWRIGHT_ETCD_BIN, MILLWRIGHT_KUBE_APISERVER_BIN, MILLWRIGHT_KUBE_CONTROLLER_MANAGER_BIN,
MILLWRIGHT_KUBE_SCHEDULER_BIN, MILLWRIGHT_KUBECTL_BIN, MILLWRIGHT_KWOK_BIN, MILLWRIGHT_TEMPORAL_BIN,
MILLWRIGHT_MOTO_BIN. What has to be downloaded or built is kept in \${XDG_CACHE_HOME:-~/.cache}/millwright.
`;

export const STOP_HELP = `Usage: npm stop -- [options]

Ends the stack that npm start brought up. Its state stays for the next start.

Options:
  --state-dir <folder>  as given to npm start
  --help                show this
`;

/** Options that say something only beside --external. */
const EXTERNAL_OPTIONS = {
  yes: 'boolean',
  kubeconfig: 'string',
  context: 'string',
  profile: 'string',
  'temporal-address': 'string',
  'temporal-namespace': 'string',
  namespace: 'string',
  'task-queue': 'string',
  example: 'boolean',
};

/** The command line is not one we know; the message says why. */
export class WrongArguments extends Error {
  name = 'WrongArguments';
}

/** @param {readonly string[]} args */
export function parseStartArguments(args) {
  const portOptions = Object.fromEntries(PORT_NAMES.map((name) => [`port-${name}`, { type: 'string' }]));
  const values = parse(args, {
    detach: { type: 'boolean', default: false },
    'no-example': { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
    'state-dir': { type: 'string' },
    provider: { type: 'string', default: PROVIDER_NAMES[0] },
    'cloud-limits': { type: 'boolean', default: false },
    'node-monitor-grace': { type: 'string' },
    external: { type: 'boolean', default: false },
    ...Object.fromEntries(Object.entries(EXTERNAL_OPTIONS).map(([name, type]) => [name, { type }])),
    help: { type: 'boolean', short: 'h', default: false },
    ...portOptions,
  });
  refuseMixed(values);
  if (!PROVIDER_NAMES.includes(values.provider)) {
    throw new WrongArguments(`--provider ${values.provider} is not there; there is: ${PROVIDER_NAMES.join(', ')}.`);
  }
  const ports = PORT_NAMES.filter((name) => values[`port-${name}`] !== undefined).map((name) => [
    name,
    parsePort(`port-${name}`, values[`port-${name}`]),
  ]);
  return {
    help: values.help,
    detach: values.detach,
    example: values.external ? values.example === true : !values['no-example'],
    fresh: values.fresh,
    stateDir: values['state-dir'],
    provider: values.provider,
    cloudLimits: values['cloud-limits'],
    nodeMonitorGrace: parseGrace(values['node-monitor-grace']),
    ports: Object.fromEntries(ports),
    external: values.external ? externalOf(values) : undefined,
  };
}

/** What is meant for the embedded stack says nothing about one's own, and the other way round. */
function refuseMixed(values) {
  const given = Object.keys(values).filter((name) => values[name] !== undefined && values[name] !== false);
  if (!values.external) {
    const [stray] = given.filter((name) => name in EXTERNAL_OPTIONS);
    if (stray !== undefined)
      throw new WrongArguments(`--${stray} is of your own cluster and Temporal: add --external.`);
    return;
  }
  const ofTheStack = ['fresh', 'no-example', 'cloud-limits', 'node-monitor-grace'];
  const [stray] = given.filter((name) => ofTheStack.includes(name) || name.startsWith('port-'));
  if (stray !== undefined) {
    throw new WrongArguments(`--${stray} is of the embedded stack, and --external starts none: leave one of them out.`);
  }
}

function externalOf(values) {
  return {
    yes: values.yes === true,
    kubeconfig: values.kubeconfig,
    context: values.context,
    profile: values.profile,
    temporalAddress: values['temporal-address'],
    temporalNamespace: values['temporal-namespace'],
    namespace: values.namespace,
    taskQueue: values['task-queue'],
  };
}

/** @param {readonly string[]} args */
export function parseStopArguments(args) {
  const values = parse(args, {
    'state-dir': { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  });
  return { help: values.help, stateDir: values['state-dir'] };
}

function parse(args, options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    throw new WrongArguments(`${error.message}\nThe options: add --help`);
  }
}

/** Kubelets report three times within it, and the controller manager looks every two seconds. */
function parseGrace(text) {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= 6 && seconds <= 3600) return seconds;
  throw new WrongArguments(`--node-monitor-grace ${text}: whole seconds, from 6 to 3600.`);
}

function parsePort(option, text) {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new WrongArguments(`--${option} ${text}: a port is a number from 1 to 65535.`);
}
