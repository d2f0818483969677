// `fanlight` is the bridge to the host; the server puts it into the document.
const dice = document.getElementById("dice");
const total = document.getElementById("total");
const again = document.getElementById("again");
let asked = { count: 2, sides: 6 };

fanlight.on("input", (args) => {
  asked = { ...asked, ...args };
});
fanlight.on("result", show);

function show(result) {
  if (result.isError) {
    total.textContent = fanlight.text(result);
    return;
  }
  const { rolls } = result.structuredContent;
  dice.replaceChildren(...rolls.map((roll) => Object.assign(document.createElement("li"), { textContent: roll })));
  total.textContent = `${rolls.reduce((sum, roll) => sum + roll, 0)} in all`;
}

again.addEventListener("click", async () => {
  again.disabled = true;
  try {
    show(await fanlight.callTool("roll_again", asked));
  } catch (error) {
    total.textContent = `The dice could not be rolled: ${error.message}`;
  } finally {
    again.disabled = false;
  }
});
