/** A line that the new kind has in a file of the others. */
export interface Line {
  readonly file: string;
  /** It stands before this, which the file has once. */
  readonly before: string;
  readonly line: string;
}

/** What a Greeting needs beside the files in `added/`, by the rows of docs/contributing.md. */
export const LINES: readonly Line[] = [
  {
    file: 'k8s/dialects/kind.ts',
    before: "import type { MachineClassStatus } from '../model/machine-class.ts';",
    line: "import type { GreetingReading, GreetingStatus } from '../model/greeting.ts';\n",
  },
  {
    file: 'k8s/dialects/kind.ts',
    before: '/** Role → the kinds that have it. */',
    line: "export interface GreetingKind extends KindOf<'greeting', GreetingReading> {\n  readonly writeStatus: (status: GreetingStatus) => object;\n}\n\n",
  },
  {
    file: 'k8s/dialects/kind.ts',
    before: '  readonly cluster: ClusterKind;',
    line: '  readonly greeting: GreetingKind;\n',
  },
  {
    file: 'k8s/dialects/openshift/api.ts',
    before: "import { machineClass } from './machine-class.ts';",
    line: "import { greeting } from './greeting.ts';\n",
  },
  { file: 'k8s/dialects/openshift/api.ts', before: '} satisfies Api', line: '  greeting,\n' },
  {
    file: 'workflows/index.ts',
    before: "export { inventory } from './inventory/inventory.ts';",
    line: "export { greeting } from './greeting/greeting.ts';\n",
  },
  {
    file: 'workflows/roles.ts',
    before: "  cluster: { type: 'cluster'",
    line: "  greeting: { type: 'greeting', purpose: 'Says hello to whom the Greeting names.' },\n",
  },
  {
    file: 'workers/activities.ts',
    before: "import { createInstanceActivities } from '../activities/instances.ts';",
    line: "import { createGreetingActivities } from '../activities/greetings.ts';\n",
  },
  {
    file: 'workers/activities.ts',
    before: '    ...createEventActivities(deps),',
    line: '    ...createGreetingActivities(deps),\n',
  },
  {
    file: 'starters/watcher/object-index.ts',
    before: '    cluster: this.clusters,',
    line: '    greeting: new IndexedMap({}),\n',
  },
  {
    file: 'starters/watcher/cluster-view.ts',
    before: "import { routeMachine, routeMachineDeployment, routeMachineSet, routeNode } from './routes.ts';",
    line: "import { ownFacts as greetingFacts, routeItself as routeGreeting } from './own-facts.ts';\n",
  },
  {
    file: 'starters/watcher/cluster-view.ts',
    before: '    cluster: { facts: clusterFacts',
    line: '    greeting: { facts: (object, kind) => greetingFacts(kind.read(object), kind), route: routeGreeting },\n',
  },
  {
    file: 'k8s/install/cluster-roles.ts',
    before: "  cluster: [{ verbs: ['get', 'list'] }, STATUS],",
    line: "  greeting: [{ verbs: ['get', 'list'] }, STATUS],\n",
  },
  {
    file: 'k8s/model/reasons/conditions.ts',
    before: '  InstanceExists: {',
    line: "  Greeted: { of: ['greeting'], says: 'whether it was said to whom the Greeting names' },\n",
  },
  {
    file: 'k8s/model/reasons/findings.ts',
    before: '  InstanceNotCreated: {',
    line: "  Greeted: { means: 'It was said.', toDo: NOTHING, isTrouble: false, conditions: ['Greeted'] },\n",
  },
  {
    file: 'starters/cli/program.ts',
    before: "import { addGlobalFlags } from './flags/global-flags.ts';",
    line: "import { addGreeting } from './commands/greeting/greeting-flags.ts';\n",
  },
  { file: 'starters/cli/program.ts', before: '  addTree(program);', line: '  addGreeting(program);\n' },
  {
    file: 'test/replay/stories.ts',
    before: "import { before } from '../world/kubernetes/request.ts';",
    line: "import { World as GreetingWorld } from '../world/world.ts';\nimport { storedObject as storedGreeting } from '../world/builders/stored-object.ts';\n",
  },
  {
    file: 'test/replay/stories.ts',
    before: "  async 'inventory-rounds'(temporal) {",
    line: `  async 'greeting-said'(temporal) {
    const world = new GreetingWorld(temporal.clock);
    const greeting = storedGreeting({ kind: 'Greeting', spec: { name: 'world' } });
    world.kube.put(greeting);
    const handle = await temporal.startObject('greeting', world, refOf(greeting));
    await temporal.until(() => world.requests.some(({ verb }) => verb === 'apply'));
    return handle;
  },

`,
  },
];
