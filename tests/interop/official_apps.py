"""The official example apps as data: what each shows at first, what a person does in it, what comes of that.

Nothing here is code for one server; `test_official_servers` reads every row in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["APPS", "LINK", "App", "Step"]

LINK = "https://modelcontextprotocol.io/"


@dataclass(frozen=True)
class Step:
    """Something a person does in a view, and its effects; only those that are named are looked for.

    `says` is the method (with at least `params`) that the view then sends; a request must get a result.
    `shows` is text that then stands in the view; `{answer}` is the first text of that result.
    `repaints` is the element that looks different afterwards.
    `reaches` is where the effect arrives outside of the view, and a part of what arrives there:
    the program's message handler, the model's context, the tap, a new page, or the frame's height.
    """

    act: Literal["click", "select", "fill", "drag"]
    at: str
    value: str = ""
    says: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    shows: str = ""
    repaints: str = ""
    reaches: tuple[Literal["program", "model", "tap", "page", "height"], str] | None = None


@dataclass(frozen=True)
class App:
    """One official server and its app. `{result}` in `shows` is the first text of the tool's result.

    `paints` are canvases that must not be blank, `permissions` what the view's document may use,
    `complains` the console errors that belong to the app itself.
    """

    name: str
    tool: str
    steps: tuple[Step, ...]
    shows: tuple[str, ...] = ()
    paints: tuple[str, ...] = ()
    arguments: dict[str, Any] = field(default_factory=dict)
    permissions: tuple[str, ...] = ()
    complains: tuple[str, ...] = ()
    before: str = ""

    def __str__(self) -> str:
        return self.name


_BASIC_STEPS = (
    Step(
        "click",
        "button:has-text('Get Server Time')",
        says="tools/call",
        params={"name": "get-time"},
        shows="{answer}",
    ),
    Step(
        "click",
        "button:has-text('Send Message')",
        says="ui/message",
        reaches=("program", "This is message text."),
    ),
    Step(
        "click",
        "button:has-text('Send Log')",
        says="notifications/message",
        reaches=("tap", "This is log text."),
    ),
    Step(
        "click",
        "button:has-text('Open Link')",
        says="ui/open-link",
        reaches=("page", LINK),
    ),
)

# A picture that moves only when somebody turns it.
_SCENE = """
const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(75, width / height, 0.1, 100);
const renderer = new THREE.WebGLRenderer({ canvas });
renderer.setSize(width, height);
renderer.setClearColor(0x203040);
scene.add(new THREE.Mesh(new THREE.BoxGeometry(2, 2, 2), new THREE.MeshNormalMaterial()));
camera.position.set(2, 2, 3);
const controls = new OrbitControls(camera, renderer.domElement);
function draw() {
  requestAnimationFrame(draw);
  controls.update();
  renderer.render(scene, camera);
}
draw();
"""

# A microphone, which the machine may lack, and a recogniser, which would ask a service on the internet.
_SPEECH = """
navigator.mediaDevices.getUserMedia = async () => new AudioContext().createMediaStreamDestination().stream;
window.SpeechRecognition = window.webkitSpeechRecognition = class {
  start() {
    this.onstart?.();
    const said = Object.assign([{transcript: "open the window", confidence: 1}], {isFinal: true});
    this.onresult?.({resultIndex: 0, results: [said]});
  }
  stop() {}
};
"""

APPS = (
    App("basic-vanillajs", "get-time", _BASIC_STEPS, shows=("{result}",)),
    App("basic-react", "get-time", _BASIC_STEPS, shows=("{result}",)),
    App("basic-preact", "get-time", _BASIC_STEPS, shows=("{result}",)),
    # Its Vue makes `window.parent` reactive, which only works where the parent is of the view's own origin.
    App("basic-vue", "get-time", _BASIC_STEPS, shows=("{result}",)),
    App(
        "budget-allocator",
        "get-budget-data",
        (
            Step(
                "select",
                "#budget-selector",
                "$250,000",
                shows="Allocated: $250,000 / $250,000",
            ),
            Step("fill", ".slider >> nth=0", "60", shows="60.0%", repaints="#budget-chart"),
        ),
        shows=("Engineering", "Allocated: $100,000 / $100,000"),
        paints=("#budget-chart",),
    ),
    App(
        "cohort-heatmap",
        "get-cohort-data",
        (
            Step(
                "select",
                "select >> nth=1",
                "Weekly",
                says="tools/call",
                params={
                    "name": "get-cohort-data",
                    "arguments": {
                        "metric": "retention",
                        "periodType": "weekly",
                        "cohortCount": 12,
                        "maxPeriods": 12,
                    },
                },
                repaints="main",
            ),
        ),
        shows=("Cohort Retention Analysis", "M11"),
    ),
    App(
        "customer-segmentation",
        "get-customer-data",
        (Step("select", "#x-axis", "Support Tickets", repaints="#scatter-chart"),),
        shows=("Enterprise", "Startup"),
        paints=("#scatter-chart",),
    ),
    App(
        "scenario-modeler",
        "get-scenario-data",
        (
            Step("select", ".template-select", "🚀 VC Rocketship", shows="VC Rocketship", repaints="canvas"),
            Step("click", "button:has-text('Reset')", repaints="canvas"),
        ),
        shows=("Cash Cow", "End MRR"),
        paints=("canvas",),
    ),
    App(
        "system-monitor",
        "get-system-info",
        (
            Step("click", "#poll-toggle-btn", shows="Start"),
            Step(
                "click",
                "#poll-toggle-btn",
                says="tools/call",
                params={"name": "poll-system-stats"},
                shows="Stop",
            ),
        ),
        shows=("Hostname", "CPU USAGE"),
    ),
    App(
        "debug",
        "debug-tool",
        (
            Step("click", "#call-debug-refresh-btn", says="tools/call", params={"name": "debug-refresh"}),
            Step(
                "click",
                "#send-message-text-btn",
                says="ui/message",
                reaches=("program", "Hello from debug app!"),
            ),
            Step("click", "#send-message-image-btn", says="ui/message", reaches=("program", "image")),
            Step(
                "click",
                "#log-warning-btn",
                says="notifications/message",
                reaches=("tap", "Debug log data"),
            ),
            Step(
                "click",
                "#update-context-text-btn",
                says="ui/update-model-context",
                reaches=("model", "Current app state info"),
            ),
            Step(
                "click",
                "#update-context-structured-btn",
                says="ui/update-model-context",
                reaches=("model", "structuredContent"),
            ),
            Step("click", "#open-link-btn", says="ui/open-link", reaches=("page", LINK)),
            Step("click", "#auto-resize-toggle"),
            Step(
                "click",
                "#resize-400x300-btn",
                says="ui/notifications/size-changed",
                params={"width": 400, "height": 300},
                reaches=("height", "300"),
            ),
            Step(
                "click",
                "#display-fullscreen-btn",
                says="ui/request-display-mode",
                params={"mode": "fullscreen"},
            ),
            Step("click", "#display-inline-btn", says="ui/request-display-mode", params={"mode": "inline"}),
        ),
        shows=("ontoolresult", "updateModelContext"),
    ),
    App(
        "transcript",
        "transcribe",
        (
            Step(
                "click",
                "#start-btn",
                says="ui/update-model-context",
                shows="open the window",
                reaches=("model", "open the window"),
            ),
            Step("click", "#send-btn", says="ui/message", reaches=("program", "open the window")),
            Step("click", "#clear-btn", says="ui/update-model-context", shows="Your speech will appear here"),
        ),
        shows=("Start", "Send"),
        permissions=("microphone", "clipboard-write"),
        before=_SPEECH,
    ),
    App(
        "threejs",
        "show_threejs_scene",
        (Step("drag", "#threejs-canvas", repaints="#threejs-canvas"),),
        paints=("#threejs-canvas",),
        arguments={"code": _SCENE, "height": 300},
    ),
)
