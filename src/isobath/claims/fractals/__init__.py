"""Claims of Malach & Shalev-Shwartz (2019), "Is deeper better only when shallow is good?"."""
