// SPDX-License-Identifier: Apache-2.0
// A field above each long table that leaves only the rows with all of its words.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll(".md-typeset table")) {
    const rows = [...table.querySelectorAll("tbody tr")];
    if (rows.length < 60) continue;
    const field = document.createElement("input");
    field.type = "search";
    field.className = "filter";
    field.placeholder = `Filter ${rows.length} rows`;
    field.setAttribute("aria-label", "Filter the rows of the table");
    const texts = rows.map((row) => row.textContent.toLowerCase());
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/);
      rows.forEach((row, i) => {
        row.hidden = !words.every((word) => texts[i].includes(word));
      });
    });
    (table.closest(".md-typeset__scrollwrap") ?? table).before(field);
  }
});
