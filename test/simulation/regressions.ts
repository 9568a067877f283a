import type { Play } from './play.ts';

/** Runs that showed a defect once, each with what it was. They are played in every `npm test`. */
export const REGRESSIONS: readonly (Pick<Play, 'seed' | 'scenario'> & { readonly was: string })[] = [
  {
    scenario: 'up',
    seed: '1',
    was: "a MachineSet looked at its Machines thirty times a second for as long as the worker's clock was behind Temporal's",
  },
  {
    scenario: 'hostile',
    seed: 'a-13',
    was: 'a workflow asked whether its history was long before a step that took longer than a workflow task may: a replay heard what was so after the step, and went on as a new run',
  },
  {
    scenario: 'hostile',
    seed: 'b-5',
    was: 'the same, where the call made its instance: from when on its Node may take so long was another time in a replay',
  },
  {
    scenario: 'hostile',
    seed: 'b-104',
    was: 'a Machine went by force while no watcher was there: its workflow, which had to report the instance, heard of it six hours later',
  },
  {
    scenario: 'hostile',
    seed: 'run-51',
    was: 'a Machine went by force whose workflow had begun while it was paused: its instance was not reported',
  },
  {
    scenario: 'upgrade',
    seed: 't1-13',
    was: 'a workflow went on where its replay continued as new: the step after that decision had taken longer than a workflow task may',
  },
  {
    scenario: 'restored',
    seed: '018fc527d0-54',
    was: 'a Machine came back from a backup, its instance was found and could not be recorded: its workflow took the past for known, and let it go',
  },
  {
    scenario: 'restored',
    seed: 'x-42',
    was: 'a Machine went while its instance ran, which it had claimed by its tags: a replica showed it as it was before, as that of nobody',
  },
  {
    scenario: 'balanced',
    seed: 'h-104',
    was: 'a call to put an instance behind a load balancer took effect after the instance was taken from there, and ended',
  },
  {
    scenario: 'balanced',
    seed: 'dc43226f7e-27',
    was: 'two alarms of a MachineSet were one in a replay, where a look between them had taken longer than a workflow task may: its timers were numbered anew',
  },
  {
    scenario: 'healed',
    seed: 'b-3',
    was: 'a worker died after a health check had deleted a Machine, and before its task was recorded: one more was remediated beside it',
  },
  {
    scenario: 'healed',
    seed: 'a-5',
    was: 'a second Machine of a set took the place of a failed replacement, while what replaced the first one was joining',
  },
  {
    scenario: 'balanced',
    seed: 'h-104',
    was: "the address of an instance that had ended stayed behind a target group, where Temporal's database was lost meanwhile",
  },
  {
    scenario: 'drained',
    seed: '7090927ade-31',
    was: "a drain's time ran while the API server did not take its cordon: when it did, the instance ended with all its pods",
  },
  {
    scenario: 'healed',
    seed: 'run-3',
    was: 'a Machine that a scale-up had made was replaced in the place of a failed replacement, whose own was missing still',
  },
  {
    scenario: 'healed',
    seed: 'run-3-11',
    was: 'a failed replacement took the place of a Machine that was remediated after it had been made; the place of one that could not be replaced was lost',
  },
  {
    scenario: 'aborted',
    seed: 'care-4',
    was: 'a task was lost in which an instance that had ended was left to Kubernetes: the Node, which seemed well still, went with pods on it',
  },
  {
    scenario: 'rolled',
    seed: '22d2ea7891-27',
    was: 'the judge of rollouts did not know that a marked Machine of a deployment goes first, however few are available',
  },
  {
    scenario: 'rolled',
    seed: 'n112512442-1',
    was: 'a set of a paused deployment replaced what went of it, while more machines were there than may be: those of a scale-down that were still going',
  },
  {
    scenario: 'healed',
    seed: 'n112531248-36',
    was: 'the judge of what is remediated at once took the time of a deletion that had been refused for a minute for the time when its place was taken',
  },
  {
    scenario: 'rolled',
    seed: 'h1795650791-5',
    was: 'the judge of Nodes did not know of a taint that somebody had written to a Machine before its Node joined; the judge of what is replaced took a deletion by hand for that of a rollout which had come to nothing a moment before',
  },
  {
    scenario: 'rolled',
    seed: 'h1795650922-8',
    was: 'somebody wrote to a Node what Millwright had put there before: nobody can tell that it is to stay when that is taken off',
  },
  {
    scenario: 'healed',
    seed: 'h1795650853-10',
    was: 'the judge of what is remediated at once did not know that two machines had been rebooted since before the limit was lowered',
  },
  {
    scenario: 'aborted',
    seed: '1a50f3b0b8-23',
    was: 'the judge of drains did not know that a pod which was asked to end on a silent Node is not waited for, where that Node comes back a moment later',
  },
  {
    scenario: 'balanced',
    seed: '1a50f3b0b8-75',
    was: 'a simulated worker went on with a workflow in its memory before it knew that its last answer had come too late, unlike the real one',
  },
  {
    scenario: 'aborted',
    seed: '660985b2e3-45',
    was: 'the judge of hooks did not know that a Machine without an instance has no termination that a hook could hold',
  },
  {
    scenario: 'healed',
    seed: '1aa41f51ae-12',
    was: 'a signal that came while a step took longer than a workflow task may, and the next task was lost, came before that step in a replay: the pass that it asks for was missing there',
  },
  {
    scenario: 'rebooted',
    seed: 'd6dae1ba54-13',
    was: 'a condition that comes and goes was bad for half of the time by the looks, and for 13 s less by the judge: the end of each time is seen a look later',
  },
  {
    scenario: 'upgrade',
    seed: 'a6bfdac0c4-4',
    was: 'a worker that stood still for 98 s made a Machine by a look from before: its set was asked for fewer by then',
  },
  {
    scenario: 'drained',
    seed: 'f472165bde-84',
    was: "a Node registered when its drain's turn was over: the judge wanted it drained, since the Machine was linked with it by then",
  },
  {
    scenario: 'aborted',
    seed: '6492384575-9',
    was: 'a worker that had stood still wrote the status of its older look over the newer one, which said that the machine runs: for six hours nobody looked again',
  },
  {
    scenario: 'drained',
    seed: 'af4a6ab576-65',
    was: 'a drain that two workers ended, one of them by an older look, was told as over twice: the judge of volumes counted the wait from the second time',
  },
  {
    scenario: 'healed',
    seed: '15c046bebd-69',
    was: 'a replacement that came up in the moment in which it was to be replaced in turn kept the place that it had been given, while another one was on its way still: two were remediated where one may be',
  },
  {
    scenario: 'rolled',
    seed: '15c046bebd-54',
    was: 'a worker whose clock was behind took Machines that were Ready for ones that were not available yet, and a second one went',
  },
  {
    scenario: 'aborted',
    seed: '7ef1d1fba2-28',
    was: 'a worker that stood still for minutes in the midst of a pass of a drain looked at its Machine again, and not at the Node, which was open by then: it evicted a pod that had come since',
  },
  {
    scenario: 'interrupted',
    seed: 'ad2433c235-56',
    was: 'a person deleted a Machine on which there stood still why its deployment had wanted it gone: the judge took that for the rollout',
  },
  {
    scenario: 'rolled',
    seed: '92202102d2-35',
    was: 'a Node registered when its instance had been asked to end, which the cloud did late: the judge asked for its pods, which no drain could see',
  },
  {
    scenario: 'aborted',
    seed: 'giveback-20',
    was: 'the worker died that had opened a Node for an abort, and the deletion that was asked for again went by the drain of before',
  },
  {
    scenario: 'aborted',
    seed: 'af280cb195-49',
    was: 'a worker stood still between its look and its evictions: it looked again whether the deletion was wanted, and not for a hook that had come',
  },
  {
    scenario: 'aborted',
    seed: 'abx-1',
    was: 'the same as giveback-20, and a person cordoned the Node that the abort had opened: that it is cordoned tells nothing of a drain',
  },
  {
    scenario: 'rolled',
    seed: 'f58c478232-76',
    was: 'a marked machine waited for another set to answer, and that set was told to give one in its stead that was available',
  },
  {
    scenario: 'rolled',
    seed: 'cda7d39323-16',
    was: 'a deployment that was released four times and scaled within a minute was looked at after nearly each change of its machines: 154 tasks in that minute',
  },
  {
    scenario: 'zoned',
    seed: '7152613934-54',
    was: 'the simulated Temporal answered a query while signals waited for a workflow task, which the real one answers after that task: a check did not hear of an outage',
  },
  {
    scenario: 'rolled',
    seed: '032bd9e3d3-56',
    was: "a write to a Node that took effect late brought back an earlier record of what is ours on it: a mark of a rollout was nobody's then, and stayed",
  },
  {
    scenario: 'rolled',
    seed: 'h1795650922-8',
    was: 'a creation that nobody heard the answer of took effect seconds after its set had been told to have fewer, and had answered to that: its deployment gave the place to another set meanwhile',
  },
];
